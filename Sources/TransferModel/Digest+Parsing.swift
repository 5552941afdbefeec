// Reads the spellings of a checksum that people and tools write. What servers send is `GoogHash.swift`; whole checksum
// files are `ChecksumDocument.swift`.

extension Digest {
  /// Why a text is no checksum of the algorithm that was expected.
  package struct Violation: Error, Hashable, Sendable {
    package var message: String
    package init(_ message: String) { self.message = message }
  }

  /// Reads a checksum of `algorithm`: hexadecimal in any case, or base64 with its padding, whichever has the algorithm's
  /// length. Blanks at the ends are ignored, also a prefix that names the algorithm (`sha256:`, `sha256-`, `sha256=`, in
  /// any case).
  ///
  /// Throws when the text has another length or another alphabet: that is a mistake in the text, and must not be reported
  /// later as content that does not match.
  package init(parsing text: String, as algorithm: DigestAlgorithm) throws(Violation) {
    // The common spelling, for which nothing has to be taken away.
    if let digest = Self.digest(hex: Substring(text), algorithm) {
      self = digest
      return
    }
    let trimmed = ASCII.trimmed(Substring(text))
    guard !trimmed.isEmpty else { throw Violation("the \(algorithm.rawValue) checksum is empty") }
    var value = trimmed
    if let (named, rest) = Self.splitPrefix(trimmed) {
      guard named == algorithm else {
        throw Violation("this is a \(named.rawValue) checksum where a \(algorithm.rawValue) checksum is expected")
      }
      value = rest
    }
    if let digest = Digest(hexOrBase64: value, algorithm) {
      self = digest
      return
    }
    throw Self.violation(of: value, algorithm)
  }

  /// Reads a checksum that names its algorithm itself: `sha256:9f86…`, or `sha256-n4bQ…` as Subresource Integrity writes
  /// it.
  package init(parsingPrefixed text: String) throws(Violation) {
    let trimmed = ASCII.trimmed(Substring(text))
    guard let (algorithm, _) = Self.splitPrefix(trimmed) else {
      let names = DigestAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
      throw Violation("a checksum begins with its algorithm, as in sha256:…; known are \(names)")
    }
    try self.init(parsing: text, as: algorithm)
  }

  /// nil when `text` is neither in the length that `algorithm` needs. (Both lengths are 8 for crc32c; only base64 ends in
  /// `==` then.)
  init?(hexOrBase64 text: Substring, _ algorithm: DigestAlgorithm) {
    if let digest = Self.digest(hex: text, algorithm) {
      self = digest
    } else if text.utf8.count == (algorithm.byteCount + 2) / 3 * 4, let bytes = Base64.decode(text) {
      self.init(algorithm, bytes: bytes)
    } else {
      return nil
    }
  }

  private static func digest(hex text: Substring, _ algorithm: DigestAlgorithm) -> Digest? {
    guard text.utf8.count == algorithm.byteCount * 2 else { return nil }
    var text = text
    return text.withUTF8 { Digest(hex: $0, algorithm) }
  }

  /// nil when these are not exactly the hexadecimal digits that `algorithm` needs.
  package init?(hex symbols: UnsafeBufferPointer<UInt8>, _ algorithm: DigestAlgorithm) {
    let count = algorithm.byteCount
    guard symbols.count == count * 2 else { return nil }
    let digest: Digest? = withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { bytes in
      for place in 0..<count {
        guard let high = ASCII.hexValue(symbols[place * 2]), let low = ASCII.hexValue(symbols[place * 2 + 1]) else {
          return nil
        }
        bytes[place] = high << 4 | low
      }
      return Digest(algorithm, bytes: UnsafeRawBufferPointer(bytes))
    }
    guard let digest else { return nil }
    self = digest
  }

  private static func splitPrefix(_ text: Substring) -> (algorithm: DigestAlgorithm, rest: Substring)? {
    for algorithm in DigestAlgorithm.allCases {
      let name = algorithm.rawValue.utf8
      guard ASCII.equalIgnoringCase(text.utf8.prefix(name.count), name),
        let separator = text.utf8.dropFirst(name.count).first, ":-=".utf8.contains(separator)
      else { continue }
      return (algorithm, ASCII.trimmed(Substring(text.utf8.dropFirst(name.count + 1))))
    }
    return nil
  }

  private static func violation(of value: Substring, _ algorithm: DigestAlgorithm) -> Violation {
    let hexLength = algorithm.byteCount * 2
    let length = value.utf8.count
    let wanted = "a \(algorithm.rawValue) checksum is \(hexLength) hexadecimal digits"
    guard value.utf8.allSatisfy({ ASCII.hexValue($0) != nil }) else {
      return Violation("\(wanted), or \((algorithm.byteCount + 2) / 3 * 4) characters of base64; this is neither")
    }
    let others = DigestAlgorithm.allCases.filter { $0 != algorithm && $0.byteCount * 2 == length }
    let guess = others.first.map { ", the length of a \($0.rawValue) checksum" } ?? ""
    return Violation("\(wanted); this has \(length)\(guess)")
  }
}
