// Where a file lands below the root: a path that cannot leave it.
// Lexical only; `LocalFiles.SafeOpen` holds the same promise against what is on the disk.

/// A path below the root whose every component is a plain name: not empty, not `.` or `..`, at most 255 bytes, no NUL.
///
/// Compared by bytes. Nothing is ever "cleaned" into another name: a text that breaks a rule is refused with the rule
/// that it breaks.
package struct RelativePath: ByteOrdered, Sendable, CustomStringConvertible {
  package let text: String
  package var description: String { text }

  /// Why a text is no safe relative path; one case, one reason code.
  package enum Violation: String, Error, Sendable, CaseIterable {
    case empty
    case absolute
    case emptyComponent = "empty_component"
    case dotComponent = "dot_component"
    case parentComponent = "parent_component"
    case nul
    case componentTooLong = "component_too_long"
    case pathTooLong = "path_too_long"
    /// The component `.mirror`, or one that begins with `.mirror-`: names that mirror keeps for itself.
    case reserved
  }

  /// The longest component that Linux file systems take, in bytes (`NAME_MAX`).
  package static let maximumComponentBytes = 255
  /// The longest path, in bytes (`PATH_MAX` less its NUL and some room for the root).
  package static let maximumPathBytes = 3_840

  /// Takes `text` as it is or says why not.
  package init(_ text: String) throws(Violation) {
    var copy = text
    let violation: Violation? = copy.withUTF8 { Self.violation(in: $0) }
    if let violation { throw violation }
    self.text = copy
  }

  /// Takes a text that was the `text` of a path before, without a second look.
  package init(known text: String) { self.text = text }

  /// Whether a text is a path, of names that none begins with a dot, in printable letters of ASCII. Other texts may be
  /// paths as well.
  package static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count <= maximumPathBytes else { return false }
    var start = 0
    for (place, byte) in text.enumerated() {
      guard byte > 0x20, byte < 0x7F else { return false }
      if byte == UInt8(ascii: "/") {
        guard place > start, place - start <= maximumComponentBytes else { return false }
        start = place + 1
      } else if place == start, byte == UInt8(ascii: ".") {
        return false
      }
    }
    return text.count > start && text.count - start <= maximumComponentBytes
  }

  private static func violation(in bytes: UnsafeBufferPointer<UInt8>) -> Violation? {
    if bytes.isEmpty { return .empty }
    if bytes[0] == UInt8(ascii: "/") { return .absolute }
    if bytes.count > maximumPathBytes { return .pathTooLong }
    var start = 0
    for index in 0...bytes.count where index == bytes.count || bytes[index] == UInt8(ascii: "/") {
      if let violation = violation(inComponent: bytes[start..<index]) { return violation }
      start = index + 1
    }
    return nil
  }

  private static func violation(inComponent bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Violation? {
    if bytes.isEmpty { return .emptyComponent }
    if bytes.count > maximumComponentBytes { return .componentTooLong }
    if bytes.first == UInt8(ascii: ".") {
      if bytes.count == 1 { return .dotComponent }
      if bytes.count == 2, bytes.last == UInt8(ascii: ".") { return .parentComponent }
      if bytes.starts(with: reservedStem),
        bytes.count == reservedStem.count || bytes[bytes.startIndex + reservedStem.count] == UInt8(ascii: "-")
      {
        return .reserved
      }
    }
    return bytes.contains(0) ? .nul : nil
  }

  private static let reservedStem: [UInt8] = Array(".mirror".utf8)

  /// The last component.
  package var name: String {
    guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return text }
    return String(text[text.utf8.index(after: slash)...])
  }

  /// Everything before the last component; nil when the file lies in the root itself.
  package var parentText: String? {
    guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
    return String(text[..<slash])
  }
}
