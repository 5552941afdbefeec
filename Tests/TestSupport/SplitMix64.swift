// Random numbers that are the same in every run.

import TransferModel

/// The splitmix64 generator: 64 bits of state, good enough to make test data from a seed.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= BitMixer.increment
    return BitMixer.scattered(state)
  }

  /// That many bytes.
  package mutating func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 7)
    while bytes.count < count {
      withUnsafeBytes(of: next().littleEndian) { bytes.append(contentsOf: $0) }
    }
    return Array(bytes.prefix(count))
  }
}
