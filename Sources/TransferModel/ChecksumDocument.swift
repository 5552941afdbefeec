// Checksum files beside downloads: SHA256SUMS, x.tgz.sha256 and their kin.

/// The checksums that a text lists, each with the file name it belongs to.
///
/// | line | from |
/// | --- | --- |
/// | `hex␠␠name`, `hex␠*name` | GNU coreutils; a leading `\` means that `\\`, `\n` and `\r` in the name are escapes |
/// | `SHA256 (name) = hex`, `SHA2-256(name)= hex` | BSD, OpenSSL |
/// | `hex` alone | a file for one download |
///
/// Hexadecimal in any case, line ends in any style, a byte order mark, empty lines and lines that begin with `#` are all
/// taken. Lines that are none of these (a signature around the list) are skipped.
package struct ChecksumDocument: Sendable {
  package struct Entry: Hashable, Sendable {
    /// nil for a checksum that stands alone.
    package var name: String?
    package var digest: Digest
  }

  package let algorithm: DigestAlgorithm
  package private(set) var entries: [Entry] = []

  /// Why no checksum of a file can be had from the document.
  package enum Violation: Error, Hashable, Sendable {
    /// Not one line could be read.
    case noChecksums
    /// There are checksums, of other files.
    case notListed
    /// Two lines say different things about the file.
    case contradiction
  }

  package init(parsing text: String, algorithm: DigestAlgorithm = .sha256) {
    self.algorithm = algorithm
    let withoutMark = text.utf8.starts(with: [0xEF, 0xBB, 0xBF]) ? text.utf8.dropFirst(3) : text.utf8[...]
    for line in withoutMark.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      let trimmed = ASCII.trimmed(Substring(line))
      guard trimmed.utf8.first != UInt8(ascii: "#") else { continue }
      if let entry = entry(fromGNU: trimmed) ?? entry(fromBSD: trimmed) { entries.append(entry) }
    }
  }

  /// The checksum of the file called `fileName`. Names are compared whole first, then by their last component; a document
  /// that holds one checksum without a name is about that one file, whatever its name.
  package func digest(for fileName: String) throws(Violation) -> Digest {
    guard !entries.isEmpty else { throw .noChecksums }
    let wanted = Self.withoutCurrentDirectory(fileName)
    var matches = entries.filter { $0.name.map { Self.sameBytes(Self.withoutCurrentDirectory($0), wanted) } ?? false }
    if matches.isEmpty {
      let last = Self.lastComponent(wanted)
      matches = entries.filter { $0.name.map { Self.sameBytes(Self.lastComponent($0), last) } ?? false }
    }
    if matches.isEmpty, entries.count == 1, entries[0].name == nil { matches = entries }
    guard let first = matches.first else { throw .notListed }
    guard matches.allSatisfy({ $0.digest == first.digest }) else { throw .contradiction }
    return first.digest
  }

  // MARK: - Lines

  private func entry(fromGNU line: Substring) -> Entry? {
    var rest = line.utf8[...]
    let isEscaped = rest.first == UInt8(ascii: "\\")
    if isEscaped { rest = rest.dropFirst() }
    let hex = rest.prefix { !ASCII.isBlank($0) }
    guard let digest = Self.digest(Substring(hex), algorithm) else { return nil }
    rest = rest[hex.endIndex...].drop(while: ASCII.isBlank)
    if rest.first == UInt8(ascii: "*") { rest = rest.dropFirst() }
    // "-" is what sha256sum calls its standard input.
    guard !rest.isEmpty, !rest.elementsEqual("-".utf8) else { return Entry(name: nil, digest: digest) }
    let name = String(Substring(rest))
    return Entry(name: isEscaped ? Self.unescaped(name) : name, digest: digest)
  }

  private func entry(fromBSD line: Substring) -> Entry? {
    guard let open = line.utf8.firstIndex(of: UInt8(ascii: "(")),
      let close = line.utf8.lastIndex(of: UInt8(ascii: ")")), open < close,
      Self.names(ASCII.trimmed(line[..<open]), algorithm)
    else { return nil }
    let value = ASCII.trimmed(Substring(line.utf8[close...].dropFirst()))
    guard value.utf8.first == UInt8(ascii: "="),
      let digest = Self.digest(ASCII.trimmed(Substring(value.utf8.dropFirst())), algorithm)
    else { return nil }
    return Entry(name: String(Substring(line.utf8[open..<close].dropFirst())), digest: digest)
  }

  /// Hexadecimal only: a base64 word could be any word.
  private static func digest(_ text: Substring, _ algorithm: DigestAlgorithm) -> Digest? {
    guard text.utf8.count == algorithm.byteCount * 2 else { return nil }
    return Digest(hexOrBase64: text, algorithm)
  }

  private static func names(_ word: Substring, _ algorithm: DigestAlgorithm) -> Bool {
    let plain = word.lowercased().filter { $0 != "-" }
    let openSSLName = algorithm.rawValue.replacingPrefix("sha", with: "sha2")
    return plain == algorithm.rawValue || plain == openSSLName
  }

  private static func unescaped(_ name: String) -> String {
    var bytes: [UInt8] = []
    var iterator = name.utf8.makeIterator()
    while let byte = iterator.next() {
      guard byte == UInt8(ascii: "\\"), let escaped = iterator.next() else {
        bytes.append(byte)
        continue
      }
      switch escaped {
      case UInt8(ascii: "n"): bytes.append(0x0A)
      case UInt8(ascii: "r"): bytes.append(0x0D)
      default: bytes.append(escaped)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: - Names

  private static func withoutCurrentDirectory(_ name: String) -> String {
    name.utf8.starts(with: "./".utf8) ? String(Substring(name.utf8.dropFirst(2))) : name
  }

  private static func lastComponent(_ name: String) -> String {
    guard let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) else { return name }
    return String(Substring(name.utf8[slash...].dropFirst()))
  }

  private static func sameBytes(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
}

extension String {
  fileprivate func replacingPrefix(_ prefix: String, with other: String) -> String {
    hasPrefix(prefix) ? other + dropFirst(prefix.count) : self
  }
}
