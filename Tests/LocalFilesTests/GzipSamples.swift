// Gzip streams for the tests: some made by hand, some by gzip(1).

import Foundation
import TestSupport
import Testing
import TransferModel

/// The bytes that hexadecimal digits stand for.
func bytes(hex: String) -> [UInt8] {
  let digits = Array(hex)
  return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
}

enum GzipSample {
  /// `hello world`, 31 bytes, with the plain header of ten bytes.
  static let hello = bytes(hex: "1f8b08000000000002ffcb48cdc9c95728cf2fca49010085114a0d0b000000")
  static let helloText = Array("hello world".utf8)
  /// The header of `hello`.
  static let headerSize = 10

  /// What gzip(1) makes of `content`.
  static func compressed(_ content: [UInt8], level: Int = 6) throws -> [UInt8] {
    let result = try ChildProcess.run("/usr/bin/gzip", ["-n", "-c", "-\(level)"], input: content)
    try #require(result.status == 0, "\(result.errorText)")
    return result.standardOutput
  }

  /// `member` (with a plain header) under a header with all optional parts: XLEN 300, a name, a comment, and CRC16
  /// (RFC 1952 section 2.3.1). With `wrongChecksum`, CRC16 does not fit.
  static func withFullHeader(_ member: [UInt8], wrongChecksum: Bool = false) -> [UInt8] {
    var header: [UInt8] = [0x1F, 0x8B, 8, 0b1_1110, 1, 2, 3, 4, 0, 255, 44, 1]
    header += [UInt8](repeating: 0, count: 300)
    header += Array("name\0comment\0".utf8)
    let checksum = crc32(header) ^ (wrongChecksum ? 1 : 0)
    header += [UInt8(truncatingIfNeeded: checksum), UInt8(truncatingIfNeeded: checksum >> 8)]
    return header + member[headerSize...]
  }

  /// CRC-32 as RFC 1952 section 8 has it, bit by bit.
  static func crc32(_ bytes: [UInt8]) -> UInt32 {
    var register = UInt32.max
    for byte in bytes {
      register ^= UInt32(byte)
      for _ in 0..<8 { register = register & 1 == 1 ? register >> 1 ^ 0xEDB8_8320 : register >> 1 }
    }
    return ~register
  }

  /// Contents that take each kind of deflate block: nothing, dynamic codes, long runs, stored blocks.
  static let contents: [[UInt8]] = {
    var random = SplitMix64(seed: 7)
    let text = (0..<4_000).flatMap { Array("line \($0 % 97) of a text\n".utf8) }
    return [[], text, [UInt8](repeating: 0, count: 200_000), random.bytes(70_000)]
  }()
}

/// Feeds bytes to a sink in pieces.
func write(_ bytes: [UInt8], to sink: some ByteSink, piece: Int = .max) throws(TransferFailure) {
  var rest = bytes[...]
  while !rest.isEmpty {
    let next = Array(rest.prefix(piece))
    rest = rest.dropFirst(piece)
    var failure: TransferFailure?
    next.withUnsafeBytes { piece in
      do throws(TransferFailure) { try sink.write(piece) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
