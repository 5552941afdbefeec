// The header of a gzip member, read one byte at a time and thrown away. The data behind it are `GzipDecoder`'s.

import CISAL

/// A header that is being read (RFC 1952 section 2.3): no part of it is needed, but its end must be found, however it is
/// cut into pieces.
struct GzipHeader: Sendable {
  static let firstByte: UInt8 = 0x1F

  /// Whether the byte that was taken last ended the header.
  private(set) var isComplete = false
  private var place = Place.fixed(index: 0)
  private var flags: UInt8 = 0
  private var crc32: UInt32 = 0

  private enum Place {
    /// ID1, ID2, CM, FLG, MTIME (4), XFL, OS.
    case fixed(index: Int)
    /// XLEN, little-endian, then as many bytes.
    case extraLength(low: UInt8?)
    case extra(remaining: Int)
    /// Both end with a zero.
    case name
    case comment
    /// CRC16, little-endian.
    case checksum(low: UInt8?)
  }

  private enum Flag {
    static let checksum: UInt8 = 1 << 1
    static let extra: UInt8 = 1 << 2
    static let name: UInt8 = 1 << 3
    static let comment: UInt8 = 1 << 4
    static let reserved: UInt8 = 0b1110_0000
  }

  /// Takes the next byte; the header must not be complete yet. Returns what is wrong, if anything is.
  mutating func take(_ byte: UInt8) -> GzipFault? {
    if case .checksum(let low) = place { return takeChecksum(byte, low) }
    crc32 = withUnsafePointer(to: byte) { crc32_gzip_refl(crc32, $0, 1) }
    switch place {
    case .fixed(let index): return takeFixed(byte, index)
    case .extraLength(nil): place = .extraLength(low: byte)
    case .extraLength(let low?):
      let length = Int(byte) << 8 | Int(low)
      length > 0 ? place = .extra(remaining: length) : enterName()
    case .extra(let remaining): remaining > 1 ? place = .extra(remaining: remaining - 1) : enterName()
    case .name: if byte == 0 { enterComment() }
    case .comment: if byte == 0 { enterChecksum() }
    case .checksum: break
    }
    return nil
  }

  private mutating func takeFixed(_ byte: UInt8, _ index: Int) -> GzipFault? {
    switch index {
    case 0: guard byte == Self.firstByte else { return .notGzip }
    case 1: guard byte == 0x8B else { return .notGzip }
    case 2: guard byte == 8 else { return .unsupported }
    case 3:
      guard byte & Flag.reserved == 0 else { return .unsupported }
      flags = byte
    default: break
    }
    index < 9 ? place = .fixed(index: index + 1) : enterExtra()
    return nil
  }

  /// The low half of the CRC-32 of all bytes of the header before it.
  private mutating func takeChecksum(_ byte: UInt8, _ low: UInt8?) -> GzipFault? {
    guard let low else {
      place = .checksum(low: byte)
      return nil
    }
    isComplete = true
    return UInt16(byte) << 8 | UInt16(low) == UInt16(truncatingIfNeeded: crc32) ? nil : .headerChecksum
  }

  // Each goes to its part of the header, or to the next when its flag is not set.

  private mutating func enterExtra() {
    flags & Flag.extra != 0 ? place = .extraLength(low: nil) : enterName()
  }

  private mutating func enterName() {
    flags & Flag.name != 0 ? place = .name : enterComment()
  }

  private mutating func enterComment() {
    flags & Flag.comment != 0 ? place = .comment : enterChecksum()
  }

  private mutating func enterChecksum() {
    if flags & Flag.checksum != 0 {
      place = .checksum(low: nil)
    } else {
      isComplete = true
    }
  }
}
