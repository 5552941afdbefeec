// Decompression of deflate data (RFC 1951), for answers that the service would send decoded. Made to be read, not to be
// fast: such answers are small here.

enum Inflate {
  /// nil when the data is broken or more than `limit` bytes come out.
  static func inflated(_ bytes: ArraySlice<UInt8>, limit: Int) -> [UInt8]? {
    var reader = BitReader(bytes: bytes)
    var output: [UInt8] = []
    while true {
      guard let isLast = reader.bits(1), let kind = reader.bits(2) else { return nil }
      switch kind {
      case 0:
        guard let stored = reader.storedBlock(), output.count + stored.count <= limit else { return nil }
        output += stored
      case 1:
        guard copy(&reader, fixedLengths, fixedDistances, &output, limit) else { return nil }
      case 2:
        guard let (lengths, distances) = dynamicCodes(&reader) else { return nil }
        guard copy(&reader, lengths, distances, &output, limit) else { return nil }
      default: return nil
      }
      if isLast == 1 { return output }
    }
  }

  private static let fixedLengths = HuffmanCode(
    lengths: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
  private static let fixedDistances = HuffmanCode(lengths: Array(repeating: 5, count: 30))

  /// Section 3.2.5: base values of the length codes 257... and of the distance codes, and their extra bits.
  private static let lengthBase = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
  ]
  private static let lengthExtra = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
  ]
  private static let distanceBase = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
    8193, 12289, 16385, 24577,
  ]

  private static func copy(
    _ reader: inout BitReader, _ lengths: HuffmanCode, _ distances: HuffmanCode, _ output: inout [UInt8], _ limit: Int
  ) -> Bool {
    while true {
      guard let symbol = reader.symbol(lengths) else { return false }
      if symbol < 256 {
        output.append(UInt8(symbol))
      } else if symbol == 256 {
        return true
      } else {
        guard symbol - 257 < lengthBase.count, let more = reader.bits(lengthExtra[symbol - 257]),
          let code = reader.symbol(distances), code < distanceBase.count,
          let further = reader.bits(max(0, code / 2 - 1))
        else { return false }
        let distance = distanceBase[code] + further
        guard distance <= output.count else { return false }
        for _ in 0..<(lengthBase[symbol - 257] + more) { output.append(output[output.count - distance]) }
      }
      guard output.count <= limit else { return false }
    }
  }

  /// Section 3.2.7.
  private static func dynamicCodes(_ reader: inout BitReader) -> (HuffmanCode, HuffmanCode)? {
    guard let literals = reader.bits(5), let distances = reader.bits(5), let codes = reader.bits(4) else { return nil }
    let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    var codeLengths = Array(repeating: 0, count: 19)
    for index in 0..<(codes + 4) {
      guard let length = reader.bits(3) else { return nil }
      codeLengths[order[index]] = length
    }
    let code = HuffmanCode(lengths: codeLengths)
    var lengths: [Int] = []
    let wanted = literals + 257 + distances + 1
    while lengths.count < wanted {
      guard let symbol = reader.symbol(code) else { return nil }
      let (value, bits, base) =
        symbol == 16
        ? (lengths.last ?? -1, 2, 3) : symbol == 17 ? (0, 3, 3) : symbol == 18 ? (0, 7, 11) : (symbol, 0, 1)
      guard value >= 0, let more = reader.bits(bits) else { return nil }
      lengths += Array(repeating: value, count: base + more)
    }
    guard lengths.count == wanted else { return nil }
    let split = literals + 257
    return (HuffmanCode(lengths: Array(lengths[..<split])), HuffmanCode(lengths: Array(lengths[split...])))
  }
}

/// A canonical Huffman code: how many codes each length has, and the symbols in the order of their codes.
private struct HuffmanCode {
  var counts = Array(repeating: 0, count: 16)
  var symbols: [Int] = []

  init(lengths: [Int]) {
    for length in lengths { counts[length] += 1 }
    counts[0] = 0
    for length in 1..<16 { symbols += lengths.indices.filter { lengths[$0] == length } }
  }
}

private struct BitReader {
  let bytes: ArraySlice<UInt8>
  var index: Int
  var buffer = 0
  var available = 0

  init(bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    index = bytes.startIndex
  }

  /// The next bits, the first one lowest; nil at the end.
  mutating func bits(_ count: Int) -> Int? {
    while available < count {
      guard index < bytes.endIndex else { return nil }
      buffer |= Int(bytes[index]) << available
      index += 1
      available += 8
    }
    defer {
      buffer >>= count
      available -= count
    }
    return buffer & (1 << count - 1)
  }

  mutating func symbol(_ code: HuffmanCode) -> Int? {
    var value = 0
    var first = 0
    var position = 0
    for length in 1..<16 {
      guard let bit = bits(1) else { return nil }
      value |= bit
      let count = code.counts[length]
      if value - count < first { return code.symbols[position + value - first] }
      position += count
      first = (first + count) << 1
      value <<= 1
    }
    return nil
  }

  /// From the next byte: a length, its complement, and that many bytes.
  mutating func storedBlock() -> ArraySlice<UInt8>? {
    buffer = 0
    available = 0
    guard index + 4 <= bytes.endIndex else { return nil }
    let length = Int(bytes[index]) | Int(bytes[index + 1]) << 8
    let complement = Int(bytes[index + 2]) | Int(bytes[index + 3]) << 8
    index += 4
    guard length ^ complement == 0xFFFF, index + length <= bytes.endIndex else { return nil }
    defer { index += length }
    return bytes[index..<(index + length)]
  }
}
