// Spreads numbers over all 64 bits. Not for secrets.

/// The last steps of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
package enum BitMixer {
  /// What stands between two numbers of the generator.
  package static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// A one-to-one mapping of which every bit depends on every bit of the number.
  package static func scattered(_ number: UInt64) -> UInt64 {
    var value = number
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
