// Bytes that are written one after the other and handed over now and then. An array would be asked for its room, and
// whether it is shared, for every comma; here both is asked once for each piece.

/// A buffer that grows and never shrinks. A value: copies share their bytes until one of them is written to.
struct ByteStore: Sendable {
  /// Initialised to its end; what follows `count` is of no meaning.
  private var storage: [UInt8] = []
  private(set) var count = 0

  var bytes: [UInt8] { Array(storage[..<count]) }

  /// Forgets the bytes and keeps the room.
  mutating func removeAll() { count = 0 }

  mutating func append(_ byte: UInt8) {
    if count == storage.count { grow(by: 1) }
    storage[count] = byte
    count += 1
  }

  mutating func append(_ text: String) {
    var copy = text
    copy.withUTF8 { append($0) }
  }

  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let source = bytes.baseAddress else { return }
    withRoom(for: bytes.count) { room in
      room.baseAddress?.update(from: source, count: bytes.count)
      return bytes.count
    }
  }

  /// The bytes between two quotation marks.
  mutating func append(quoted bytes: UnsafeBufferPointer<UInt8>) {
    withRoom(for: bytes.count + 2) { room in
      room[0] = UInt8(ascii: "\"")
      if let source = bytes.baseAddress, let target = room.baseAddress {
        (target + 1).update(from: source, count: bytes.count)
      }
      room[bytes.count + 1] = UInt8(ascii: "\"")
      return bytes.count + 2
    }
  }

  mutating func append(repeating byte: UInt8, count: Int) {
    withRoom(for: count) { room in
      room.update(repeating: byte)
      return count
    }
  }

  mutating func append(decimal value: Int64) {
    withRoom(for: Self.decimalSize) { Self.write(decimal: value, to: $0) }
  }

  /// The most bytes that a number takes.
  static let decimalSize = 20

  /// Writes a number from the beginning of a buffer that has the room; returns how many bytes it took.
  static func write(decimal value: Int64, to room: UnsafeMutableBufferPointer<UInt8>) -> Int {
    var digits = 1
    var limit = value.magnitude
    while limit >= 10 {
      limit /= 10
      digits += 1
    }
    let sign = value < 0 ? 1 : 0
    if value < 0 { room[0] = UInt8(ascii: "-") }
    var rest = value.magnitude
    for place in stride(from: sign + digits - 1, through: sign, by: -1) {
      room[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    return sign + digits
  }

  /// The 16 hexadecimal digits of a number.
  mutating func append(hex value: UInt64) {
    withRoom(for: 16) { room in
      for place in 0..<16 {
        room[place] = Digest.hexDigit(UInt8(truncatingIfNeeded: value >> UInt64(60 - 4 * place)) & 15)
      }
      return 16
    }
  }

  /// Lends room for so many bytes; `body` fills it from its beginning and says how many it wrote.
  @inline(__always)
  mutating func withRoom(for size: Int, _ body: (UnsafeMutableBufferPointer<UInt8>) -> Int) {
    if storage.count - count < size { grow(by: size) }
    let start = count
    count += storage.withUnsafeMutableBufferPointer { storage in
      body(UnsafeMutableBufferPointer(rebasing: storage[start..<start + size]))
    }
  }

  private mutating func grow(by size: Int) {
    let room = max(size, storage.count, 256)
    storage.append(contentsOf: repeatElement(0, count: room))
  }
}
