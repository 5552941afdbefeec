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
  package let algorithm: DigestAlgorithm
  /// Each name is looked up at once, because a document may list thousands of files, each asked for in its turn.
  private var byName: [FileName: Finding] = [:]
  private var byLastComponent: [FileName: Finding] = [:]
  /// The checksum of the only line, if that has no name.
  private var nameless: Digest?
  private var count = 0

  private struct FileName: ByteOrdered, Sendable {
    let text: String
  }

  private struct Line {
    /// nil for a checksum that stands alone.
    var name: String?
    var digest: Digest
  }

  /// What all lines about one name say.
  private enum Finding: Sendable {
    case digest(Digest)
    case contradiction

    init(_ earlier: Finding?, _ digest: Digest) {
      switch earlier {
      case nil, .digest(digest): self = .digest(digest)
      case .digest, .contradiction: self = .contradiction
      }
    }
  }

  /// Why no checksum of a file can be had from the document.
  package enum Violation: Error, Hashable, Sendable {
    /// Not one line could be read.
    case noChecksums
    /// There are checksums, of other files.
    case notListed
    /// Two lines say different things about the file.
    case contradiction

    /// What is wrong, as a clause.
    package var message: String {
      switch self {
      case .noChecksums: "it holds no checksum that can be read"
      case .notListed: "it lists other files"
      case .contradiction: "two of its lines contradict each other"
      }
    }
  }

  package init(parsing text: String, algorithm: DigestAlgorithm = .sha256) {
    self.algorithm = algorithm
    let withoutMark = text.utf8.starts(with: [0xEF, 0xBB, 0xBF]) ? text.utf8.dropFirst(3) : text.utf8[...]
    for line in withoutMark.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      let trimmed = ASCII.trimmed(Substring(line))
      guard trimmed.utf8.first != UInt8(ascii: "#") else { continue }
      if let line = self.line(fromGNU: trimmed) ?? self.line(fromBSD: trimmed) { add(line) }
    }
  }

  private mutating func add(_ line: Line) {
    count += 1
    nameless = count == 1 && line.name == nil ? line.digest : nil
    guard let name = line.name.map(Self.withoutCurrentDirectory) else { return }
    let (whole, last) = (FileName(text: name), FileName(text: Self.lastComponent(name)))
    byName[whole] = Finding(byName[whole], line.digest)
    byLastComponent[last] = Finding(byLastComponent[last], line.digest)
  }

  /// The checksum of the file called `fileName`. Names are compared whole first, then by their last component; a document
  /// that holds one checksum without a name is about that one file, whatever its name.
  package func digest(for fileName: String) throws(Violation) -> Digest {
    guard count > 0 else { throw .noChecksums }
    let wanted = Self.withoutCurrentDirectory(fileName)
    let finding =
      byName[FileName(text: wanted)] ?? byLastComponent[FileName(text: Self.lastComponent(wanted))]
      ?? nameless.map { .digest($0) }
    switch finding {
    case .digest(let digest): return digest
    case .contradiction: throw .contradiction
    case nil: throw .notListed
    }
  }

  // MARK: - Lines

  private func line(fromGNU line: Substring) -> Line? {
    var rest = line.utf8[...]
    let isEscaped = rest.first == UInt8(ascii: "\\")
    if isEscaped { rest = rest.dropFirst() }
    let hex = rest.prefix { !ASCII.isBlank($0) }
    guard let digest = Self.digest(Substring(hex), algorithm) else { return nil }
    rest = rest[hex.endIndex...].drop(while: ASCII.isBlank)
    if rest.first == UInt8(ascii: "*") { rest = rest.dropFirst() }
    // "-" is what sha256sum calls its standard input.
    guard !rest.isEmpty, !rest.elementsEqual("-".utf8) else { return Line(name: nil, digest: digest) }
    let name = String(Substring(rest))
    return Line(name: isEscaped ? Self.unescaped(name) : name, digest: digest)
  }

  private func line(fromBSD line: Substring) -> Line? {
    guard let open = line.utf8.firstIndex(of: UInt8(ascii: "(")),
      let close = line.utf8.lastIndex(of: UInt8(ascii: ")")), open < close,
      Self.names(ASCII.trimmed(line[..<open]), algorithm)
    else { return nil }
    let value = ASCII.trimmed(Substring(line.utf8[close...].dropFirst()))
    guard value.utf8.first == UInt8(ascii: "="),
      let digest = Self.digest(ASCII.trimmed(Substring(value.utf8.dropFirst())), algorithm)
    else { return nil }
    return Line(name: String(Substring(line.utf8[open..<close].dropFirst())), digest: digest)
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
}

extension String {
  fileprivate func replacingPrefix(_ prefix: String, with other: String) -> String {
    hasPrefix(prefix) ? other + dropFirst(prefix.count) : self
  }
}
