// Which digests are wanted of some bytes: a set that is made and asked for every file, so it is four bits.

/// A set of algorithms.
package struct DigestAlgorithms: Hashable, Sendable, SetAlgebra, Sequence {
  private var bits: UInt8 = 0

  package init() {}

  package init(_ algorithms: some Sequence<DigestAlgorithm>) {
    for algorithm in algorithms { insert(algorithm) }
  }

  package init(arrayLiteral elements: DigestAlgorithm...) { self.init(elements) }

  package var isEmpty: Bool { bits == 0 }

  package func makeIterator() -> IndexingIterator<[DigestAlgorithm]> { all.makeIterator() }

  /// The members in the order of `DigestAlgorithm.allCases`.
  package var all: [DigestAlgorithm] { DigestAlgorithm.allCases.filter { contains($0) } }

  package func contains(_ member: DigestAlgorithm) -> Bool { bits & Self.bit(member) != 0 }

  package func isSubset(of other: DigestAlgorithms) -> Bool { bits & ~other.bits == 0 }

  @discardableResult
  package mutating func insert(_ new: DigestAlgorithm) -> (inserted: Bool, memberAfterInsert: DigestAlgorithm) {
    defer { bits |= Self.bit(new) }
    return (!contains(new), new)
  }

  @discardableResult
  package mutating func remove(_ member: DigestAlgorithm) -> DigestAlgorithm? {
    defer { bits &= ~Self.bit(member) }
    return contains(member) ? member : nil
  }

  @discardableResult
  package mutating func update(with new: DigestAlgorithm) -> DigestAlgorithm? {
    insert(new).inserted ? nil : new
  }

  package func union(_ other: DigestAlgorithms) -> DigestAlgorithms { Self(bits: bits | other.bits) }
  package func intersection(_ other: DigestAlgorithms) -> DigestAlgorithms { Self(bits: bits & other.bits) }
  package func symmetricDifference(_ other: DigestAlgorithms) -> DigestAlgorithms { Self(bits: bits ^ other.bits) }

  package mutating func formUnion(_ other: DigestAlgorithms) { bits |= other.bits }
  package mutating func formIntersection(_ other: DigestAlgorithms) { bits &= other.bits }
  package mutating func formSymmetricDifference(_ other: DigestAlgorithms) { bits ^= other.bits }

  private init(bits: UInt8) { self.bits = bits }

  private static func bit(_ algorithm: DigestAlgorithm) -> UInt8 {
    switch algorithm {
    case .crc32c: 1
    case .md5: 2
    case .sha256: 4
    case .sha512: 8
    }
  }
}

extension DigestSet {
  /// The algorithms of the digests that are there.
  package var algorithms: DigestAlgorithms {
    var algorithms = DigestAlgorithms()
    for algorithm in DigestAlgorithm.allCases where has(algorithm) { algorithms.insert(algorithm) }
    return algorithms
  }
}
