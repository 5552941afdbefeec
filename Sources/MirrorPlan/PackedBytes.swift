// Numbers, texts and digests as bytes, for values of which there are very many. What they mean is said where they are used.

import TransferModel

/// Writes what `PackedReader` reads.
struct PackedWriter: Sendable {
  private(set) var bytes: [UInt8] = []

  /// Seven bits a byte, the lowest first; the highest bit says that more follow (LEB128).
  mutating func append(_ number: Int) {
    var rest = UInt(bitPattern: number)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// A number that may be below 0: its sign is the last bit.
  mutating func append(signed number: Int) { append(number << 1 ^ number >> (Int.bitWidth - 1)) }

  mutating func append(text: String) {
    append(text.utf8.count)
    bytes.append(contentsOf: text.utf8)
  }

  /// Which digests there are, and they.
  mutating func append(_ digests: DigestSet) {
    let all = DigestAlgorithm.allCases
    var present = 0
    for bit in all.indices where digests.has(all[bit]) { present |= 1 << bit }
    append(present)
    for bit in all.indices where present & 1 << bit != 0 {
      digests[all[bit]]?.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }
  }

  mutating func append(_ text: String, _ coding: inout FrontCoding) {
    var copy = text
    copy.withUTF8 { append($0, &coding) }
  }

  mutating func append(_ text: UnsafeBufferPointer<UInt8>, _ coding: inout FrontCoding) {
    let common = coding.replace(with: text)
    append(common)
    append(text.count - common)
    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[common...]))
  }
}

/// Reads what a `PackedWriter` wrote. Bytes of other origin end the process.
struct PackedReader: Sendable {
  private let bytes: [UInt8]
  private var place: Int

  init(_ bytes: [UInt8], at place: Int = 0) {
    self.bytes = bytes
    self.place = place
  }

  mutating func number() -> Int {
    var result: UInt = 0
    var shift: UInt = 0
    while true {
      let byte = bytes[place]
      place += 1
      result |= UInt(byte & 0x7F) << shift
      guard byte >= 0x80 else { return Int(bitPattern: result) }
      shift += 7
    }
  }

  mutating func signedNumber() -> Int {
    let number = number()
    return Int(bitPattern: UInt(bitPattern: number) >> 1) ^ -(number & 1)
  }

  mutating func text() -> String {
    let count = number()
    defer { place += count }
    return String(decoding: bytes[place..<place + count], as: UTF8.self)
  }

  mutating func digests() -> DigestSet {
    let present = number()
    var digests = DigestSet()
    for (bit, algorithm) in DigestAlgorithm.allCases.enumerated() where present & 1 << bit != 0 {
      digests[algorithm] = bytes.withUnsafeBytes {
        Digest(algorithm, bytes: UnsafeRawBufferPointer(rebasing: $0[place..<place + algorithm.byteCount]))
      }
      place += algorithm.byteCount
    }
    return digests
  }

  mutating func text(_ coding: inout FrontCoding) -> String {
    advance(&coding)
    return coding.withBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// Makes the next text of a coding its last.
  mutating func advance(_ coding: inout FrontCoding) {
    let common = number()
    let count = number()
    bytes.withUnsafeBufferPointer { bytes in
      coding.replace(after: common, with: UnsafeBufferPointer(rebasing: bytes[place..<place + count]))
    }
    place += count
  }
}

/// The last of a series of texts, each of which is kept as what it has in common with the one before, and the rest.
struct FrontCoding: Sendable {
  private var last: [UInt8] = []

  /// Returns how many bytes the text and the last have in common.
  mutating func replace(with text: UnsafeBufferPointer<UInt8>) -> Int {
    let most = min(last.count, text.count)
    var common = 0
    last.withUnsafeBufferPointer { last in
      while common < most, last[common] == text[common] { common += 1 }
    }
    replace(after: common, with: UnsafeBufferPointer(rebasing: text[common...]))
    return common
  }

  mutating func replace(after common: Int, with rest: UnsafeBufferPointer<UInt8>) {
    last.removeLast(last.count - common)
    last.append(contentsOf: rest)
  }

  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    last.withUnsafeBufferPointer(body)
  }
}

/// Equal values once, by their number.
struct Interned<Value: Hashable & Sendable>: Sendable {
  private(set) var values: [Value] = []
  private var numbers: [Value: Int] = [:]
  private var latest: Int?

  /// What was asked for last, which mostly is asked for next.
  var last: (number: Int, value: Value)? { latest.map { ($0, values[$0]) } }

  /// - Parameter isSame: cheaper than `==` and never true where that is not.
  mutating func number(of value: Value, isSame: (Value, Value) -> Bool = { $0 == $1 }) -> Int {
    if let latest, isSame(values[latest], value) { return latest }
    let number = numbers[value] ?? values.count
    if number == values.count {
      values.append(value)
      numbers[value] = number
    }
    latest = number
    return number
  }
}
