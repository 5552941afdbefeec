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

/// One checksum: `bytes.count == algorithm.byteCount`, crc32c in big-endian order as Google's API has it.
package struct Digest: Hashable, Sendable {
  package let algorithm: DigestAlgorithm
  package let bytes: [UInt8]

  /// nil when `bytes` has not the algorithm's length.
  package init?(_ algorithm: DigestAlgorithm, bytes: [UInt8]) {
    guard bytes.count == algorithm.byteCount else { return nil }
    self.algorithm = algorithm
    self.bytes = bytes
  }

  package init(crc32c value: UInt32) {
    algorithm = .crc32c
    bytes = withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }

  /// The value as lower-case hexadecimal.
  package var hex: String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
      for (index, byte) in bytes.enumerated() {
        buffer[index * 2] = Self.hexDigit(byte >> 4)
        buffer[index * 2 + 1] = Self.hexDigit(byte & 15)
      }
      return bytes.count * 2
    }
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}

extension Digest: CustomStringConvertible {
  /// `sha256:9f86d0…`, whole.
  package var description: String { "\(algorithm.rawValue):\(hex)" }
}

/// At most one digest of each algorithm, all of the same bytes.
package struct DigestSet: Hashable, Sendable {
  package var crc32c: Digest?
  package var md5: Digest?
  package var sha256: Digest?
  package var sha512: Digest?

  package init() {}

  package init(_ digests: [Digest]) {
    for digest in digests { self[digest.algorithm] = digest }
  }

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
      switch algorithm {
      case .crc32c: crc32c = newValue
      case .md5: md5 = newValue
      case .sha256: sha256 = newValue
      case .sha512: sha512 = newValue
      }
    }
  }

  package var isEmpty: Bool { crc32c == nil && md5 == nil && sha256 == nil && sha512 == nil }

  /// All present digests, in the order of `DigestAlgorithm.allCases`.
  package var all: [Digest] { DigestAlgorithm.allCases.compactMap { self[$0] } }

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
    for algorithm in DigestAlgorithm.allCases {
      guard let mine = self[algorithm], let theirs = other[algorithm] else { continue }
      guard mine == theirs else { return .different(in: algorithm) }
      strongest = algorithm
    }
    return strongest.map { .equal(by: $0) } ?? .incomparable
  }
}
