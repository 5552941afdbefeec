// The lines of a text, for showing and for counting. Lines end as YAML 1.1 says (LF, CR, CR LF, NEL, LS, PS), because that
// is what the marks were counted by.

/// UTF-8 text with its lines found on demand. A byte order mark at the beginning is not part of the first line.
package struct SourceText: Sendable {
  package let bytes: [UInt8]
  /// Where each line begins.
  private let starts: [Int]

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    starts = bytes.withUnsafeBufferPointer { Self.lineStarts($0) }
  }

  /// The bytes of a line, counted from 1, without its break; nil when there is no such line.
  package func line(_ number: Int) -> ArraySlice<UInt8>? {
    guard number >= 1, number <= starts.count else { return nil }
    let start = starts[number - 1]
    var end = number < starts.count ? starts[number] : bytes.count
    if number < starts.count {
      end -= Self.breakLength(endingAt: end, in: bytes, notBefore: start)
    }
    return bytes[start..<end]
  }

  /// The line and column of a byte.
  package func mark(ofByte offset: Int) -> SourceMark {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    let column = bytes[starts[low]..<max(starts[low], min(offset, bytes.count))].reduce(1) {
      $0 + ($1 & 0xC0 == 0x80 ? 0 : 1)
    }
    return SourceMark(line: low + 1, column: column)
  }

  private static func lineStarts(_ bytes: UnsafeBufferPointer<UInt8>) -> [Int] {
    var index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var starts = [index]
    while index < bytes.count {
      let length = breakLength(at: index, in: bytes)
      index += max(1, length)
      if length > 0 { starts.append(index) }
    }
    return starts
  }

  /// How many bytes the line break at an offset has; 0 = there is none.
  private static func breakLength(at index: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    switch bytes[index] {
    case 0x0A: 1
    case 0x0D: index + 1 < bytes.count && bytes[index + 1] == 0x0A ? 2 : 1
    case 0xC2: index + 1 < bytes.count && bytes[index + 1] == 0x85 ? 2 : 0
    case 0xE2:
      index + 2 < bytes.count && bytes[index + 1] == 0x80 && (bytes[index + 2] == 0xA8 || bytes[index + 2] == 0xA9)
        ? 3 : 0
    default: 0
    }
  }

  private static func breakLength(endingAt end: Int, in bytes: [UInt8], notBefore start: Int) -> Int {
    switch bytes[end - 1] {
    case 0x0A: end - 2 >= start && bytes[end - 2] == 0x0D ? 2 : 1
    case 0x0D: 1
    case 0x85: 2
    default: 3
    }
  }
}
