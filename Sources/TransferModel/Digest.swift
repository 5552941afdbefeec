// A checksum with its algorithm. Computing one is `LocalFiles.StreamingDigest`; reading the spellings people and servers
// use is `Digest+Parsing.swift`.

/// The algorithms that references can be held against.
package enum DigestAlgorithm: String, CaseIterable, Sendable {
  case crc32c
  case md5
  case sha256
  case sha512

  /// The digest's length in bytes.
  package var byteCount: Int {
    switch self {
    case .crc32c: 4
    case .md5: 16
    case .sha256: 32
    case .sha512: 64
    }
  }
}

/// One checksum, crc32c in big-endian order as Google's API has it.
///
/// The bytes lie in the value itself (but for sha512), so that copying one counts no reference: every fact about a file
/// holds several.
package struct Digest: Hashable, Sendable {
  fileprivate enum Value: Hashable, Sendable {
    case crc32c(UInt32)
    case md5(Block16)
    case sha256(Block32)
    case sha512([UInt8])
  }

  fileprivate let value: Value

  fileprivate init(_ value: Value) { self.value = value }

  /// nil when `bytes` has not the algorithm's length.
  package init?(_ algorithm: DigestAlgorithm, bytes: [UInt8]) {
    let value = bytes.withUnsafeBytes { Value(algorithm, $0) }
    guard let value else { return nil }
    self.value = value
  }

  /// nil when `bytes` has not the algorithm's length.
  package init?(_ algorithm: DigestAlgorithm, bytes: UnsafeRawBufferPointer) {
    guard let value = Value(algorithm, bytes) else { return nil }
    self.value = value
  }

  package init(crc32c number: UInt32) { value = .crc32c(number) }

  package var algorithm: DigestAlgorithm {
    switch value {
    case .crc32c: .crc32c
    case .md5: .md5
    case .sha256: .sha256
    case .sha512: .sha512
    }
  }

  /// `algorithm.byteCount` bytes.
  package var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

  /// Lends the bytes without a copy on the heap.
  package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    switch value {
    case .crc32c(let number): Swift.withUnsafeBytes(of: number.bigEndian, body)
    case .md5(let block): Swift.withUnsafeBytes(of: block, body)
    case .sha256(let block): Swift.withUnsafeBytes(of: block, body)
    case .sha512(let bytes): bytes.withUnsafeBytes(body)
    }
  }

  /// The value as lower-case hexadecimal.
  package var hex: String {
    withUnsafeBytes { bytes in
      String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
        Self.writeHex(bytes, to: buffer)
        return bytes.count * 2
      }
    }
  }

  /// Writes `hex` from the beginning of a buffer that has the room; returns how many bytes it took.
  func writeHex(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    withUnsafeBytes { bytes in
      Self.writeHex(bytes, to: buffer)
      return bytes.count * 2
    }
  }

  private static func writeHex(_ bytes: UnsafeRawBufferPointer, to buffer: UnsafeMutableBufferPointer<UInt8>) {
    for index in bytes.indices {
      buffer[index * 2] = hexDigit(bytes[index] >> 4)
      buffer[index * 2 + 1] = hexDigit(bytes[index] & 15)
    }
  }

  static func hexDigit(_ value: UInt8) -> UInt8 {
    // 39 lie between the digits and the letters; without a branch, so that many are made at once.
    UInt8(ascii: "0") &+ value &+ ((value &+ 6) >> 4) &* 39
  }
}

/// 16 bytes in the order in which they lie in memory.
private struct Block16: Hashable, Sendable {
  var first: UInt64 = 0
  var second: UInt64 = 0
}

/// 32 bytes in the order in which they lie in memory.
private struct Block32: Hashable, Sendable {
  var first = Block16()
  var second = Block16()
}

extension Digest.Value {
  fileprivate init?(_ algorithm: DigestAlgorithm, _ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == algorithm.byteCount else { return nil }
    switch algorithm {
    case .crc32c: self = .crc32c(UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))
    case .md5: self = .md5(bytes.loadUnaligned(as: Block16.self))
    case .sha256: self = .sha256(bytes.loadUnaligned(as: Block32.self))
    case .sha512: self = .sha512(Array(bytes))
    }
  }
}

extension Digest: CustomStringConvertible {
  /// `sha256:9f86d0…`, whole.
  package var description: String { "\(algorithm.rawValue):\(hex)" }
}

/// At most one digest of each algorithm, all of the same bytes.
package struct DigestSet: Hashable, Sendable {
  private var crc32cValue: UInt32?
  private var md5Value: Block16?
  private var sha256Value: Block32?
  private var sha512Value: [UInt8]?

  package init() {}

  package init(_ digests: [Digest]) {
    for digest in digests { insert(digest) }
  }

  package var crc32c: Digest? {
    get { crc32cValue.map { Digest(.crc32c($0)) } }
    set { self[.crc32c] = newValue }
  }

  package var md5: Digest? {
    get { md5Value.map { Digest(.md5($0)) } }
    set { self[.md5] = newValue }
  }

  package var sha256: Digest? {
    get { sha256Value.map { Digest(.sha256($0)) } }
    set { self[.sha256] = newValue }
  }

  package var sha512: Digest? {
    get { sha512Value.map { Digest(.sha512($0)) } }
    set { self[.sha512] = newValue }
  }

  /// Setting one of another algorithm than the subscript's is a mistake in the program.
  package subscript(algorithm: DigestAlgorithm) -> Digest? {
    get {
      switch algorithm {
      case .crc32c: crc32c
      case .md5: md5
      case .sha256: sha256
      case .sha512: sha512
      }
    }
    set {
      guard let newValue else { return remove(algorithm) }
      precondition(newValue.algorithm == algorithm, "a digest is kept under its own algorithm")
      insert(newValue)
    }
  }

  package func has(_ algorithm: DigestAlgorithm) -> Bool {
    switch algorithm {
    case .crc32c: crc32cValue != nil
    case .md5: md5Value != nil
    case .sha256: sha256Value != nil
    case .sha512: sha512Value != nil
    }
  }

  private mutating func insert(_ digest: Digest) {
    switch digest.value {
    case .crc32c(let value): crc32cValue = value
    case .md5(let value): md5Value = value
    case .sha256(let value): sha256Value = value
    case .sha512(let value): sha512Value = value
    }
  }

  private mutating func remove(_ algorithm: DigestAlgorithm) {
    switch algorithm {
    case .crc32c: crc32cValue = nil
    case .md5: md5Value = nil
    case .sha256: sha256Value = nil
    case .sha512: sha512Value = nil
    }
  }

  package var isEmpty: Bool {
    crc32cValue == nil && md5Value == nil && sha256Value == nil && sha512Value == nil
  }

  /// All present digests, in the order of `DigestAlgorithm.allCases`.
  package var all: [Digest] { DigestAlgorithm.allCases.compactMap { self[$0] } }

  /// This, with the digests of another set about the same bytes that are not here.
  package func completed(by other: DigestSet) -> DigestSet {
    var set = self
    set.crc32cValue = crc32cValue ?? other.crc32cValue
    set.md5Value = md5Value ?? other.md5Value
    set.sha256Value = sha256Value ?? other.sha256Value
    set.sha512Value = sha512Value ?? other.sha512Value
    return set
  }

  /// How two sets about the same bytes compare.
  package enum Comparison: Hashable, Sendable {
    /// Every shared algorithm agrees; the strongest shared one is named.
    case equal(by: DigestAlgorithm)
    /// This algorithm disagrees.
    case different(in: DigestAlgorithm)
    /// No algorithm is in both.
    case incomparable
  }

  package func compare(with other: DigestSet) -> Comparison {
    var strongest: DigestAlgorithm?
    if let mine = crc32cValue, let theirs = other.crc32cValue {
      guard mine == theirs else { return .different(in: .crc32c) }
      strongest = .crc32c
    }
    if let mine = md5Value, let theirs = other.md5Value {
      guard mine == theirs else { return .different(in: .md5) }
      strongest = .md5
    }
    if let mine = sha256Value, let theirs = other.sha256Value {
      guard mine == theirs else { return .different(in: .sha256) }
      strongest = .sha256
    }
    if let mine = sha512Value, let theirs = other.sha512Value {
      guard mine == theirs else { return .different(in: .sha512) }
      strongest = .sha512
    }
    return strongest.map { .equal(by: $0) } ?? .incomparable
  }
}
