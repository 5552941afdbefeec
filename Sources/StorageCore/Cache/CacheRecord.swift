// The file form of one cached object: pure bytes in, bytes out.

import LocalFiles
import TransferModel

/// A cached object as it lies on the disk: a head of 40 bytes, the key, the bytes of the object.
///
/// | at | bytes | what, big-endian |
/// | ---: | ---: | --- |
/// | 0 | 8 | `CSCACHE1` |
/// | 8 | 4 | crc32c of all that follows |
/// | 12 | 4 | length of the key |
/// | 16 | 8 | length of the object |
/// | 24 | 8 | generation, -1 when unknown |
/// | 32 | 8 | when it was stored, in seconds since 1970 |
/// | 40 | | the key, then the object |
struct CacheRecord: Hashable, Sendable {
  /// All but the object's bytes.
  struct Head: Hashable, Sendable {
    var key: String
    var size: Int64
    var generation: Int64?
    var storedAt: Int64
    fileprivate var checksum: UInt32 = 0
  }

  static let headSize = 40
  /// Keys are URLs of names of at most 1,024 bytes, each of them escaped at worst, with a bucket before them.
  static let longestKey = 4_096
  private static let magic = Array("CSCACHE1".utf8)

  var head: Head
  var bytes: [UInt8]

  init(key: String, bytes: [UInt8], generation: Int64?, storedAt: Int64) {
    head = Head(key: key, size: Int64(bytes.count), generation: generation, storedAt: storedAt)
    self.bytes = bytes
  }

  var encoded: [UInt8] {
    var covered: [UInt8] = []
    covered.reserveCapacity(bytes.count + Self.headSize + head.key.utf8.count)
    Self.append(UInt64(head.key.utf8.count), 4, to: &covered)
    Self.append(UInt64(bitPattern: head.size), 8, to: &covered)
    Self.append(UInt64(bitPattern: head.generation ?? -1), 8, to: &covered)
    Self.append(UInt64(bitPattern: head.storedAt), 8, to: &covered)
    covered += Array(head.key.utf8)
    covered += bytes
    var file = Self.magic
    Self.append(UInt64(Self.checksum(covered[...])), 4, to: &file)
    return file + covered
  }

  /// nil when the file is not whole, was altered, or is none of ours.
  init?(parsing file: [UInt8]) {
    guard let head = Self.parseHead(file[...]) else { return nil }
    let start = Self.headSize + head.key.utf8.count
    guard Int64(file.count - start) == head.size, Self.checksum(file[12...]) == head.checksum else { return nil }
    self.head = head
    bytes = Array(file[start...])
  }

  /// Reads the beginning of a file, which has to reach to the end of the key; nothing is proven by it.
  static func parseHead(_ start: ArraySlice<UInt8>) -> Head? {
    guard start.count >= headSize, start.prefix(8).elementsEqual(magic) else { return nil }
    let fields = start.dropFirst(8)
    let keySize = number(fields.dropFirst(4).prefix(4))
    let size = Int64(bitPattern: number(fields.dropFirst(8).prefix(8)))
    guard keySize <= longestKey, size >= 0, start.count >= headSize + Int(keySize) else { return nil }
    let keyBytes = start.dropFirst(headSize).prefix(Int(keySize))
    guard let key = String(validating: keyBytes, as: UTF8.self) else { return nil }
    let generation = Int64(bitPattern: number(fields.dropFirst(16).prefix(8)))
    return Head(
      key: key, size: size, generation: generation < 0 ? nil : generation,
      storedAt: Int64(bitPattern: number(fields.dropFirst(24).prefix(8))),
      checksum: UInt32(truncatingIfNeeded: number(fields.prefix(4))))
  }

  private static func append(_ value: UInt64, _ count: Int, to bytes: inout [UInt8]) {
    for index in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.withUnsafeBytes { CRC32C.update(0, with: $0) }
  }
}
