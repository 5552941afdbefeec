// The field lines of one response head as they came (RFC 9112 section 5). Of the ten or twenty that servers send, few are
// looked at: the bytes are kept with the places of names and values, and a text is made when somebody asks for it.

/// The fields of a response. Kept from head to head by whoever reads them, so that its buffers are allocated once; a copy
/// that somebody holds meanwhile stays what it is.
package struct ReceivedFields: Sendable {
  /// Where a name and its value are in `bytes`, the ends excluded.
  private struct Place {
    var name: Range<Int>
    /// Without blanks at either end.
    var value: Range<Int>
  }

  private var bytes: [UInt8] = []
  private var places: [Place] = []
  /// See `HTTPFields.bit`.
  private(set) var present: UInt64 = 0

  package init() {}

  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
    present = 0
  }

  /// Takes one line, with its end or without. A line without a name is left out; a folded line continues the value before
  /// it (RFC 9112 section 5.2).
  package mutating func append(_ line: UnsafeRawBufferPointer) {
    var end = line.count
    if end > 0, line[end - 1] == UInt8(ascii: "\n") { end -= 1 }
    if end > 0, line[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    guard end > 0 else { return }
    guard !ASCII.isBlank(line[0]) else { return fold(UnsafeRawBufferPointer(rebasing: line[..<end])) }
    var colon = 0
    while colon < end, line[colon] != UInt8(ascii: ":") { colon += 1 }
    guard colon > 0, colon < end, !ASCII.isBlank(line[colon - 1]) else { return }
    let start = bytes.count
    bytes.append(contentsOf: line)
    let value = Self.trimmed(line, colon + 1..<end)
    places.append(Place(name: start..<start + colon, value: start + value.lowerBound..<start + value.upperBound))
    present |= HTTPFields.bit(first: line[0], count: colon)
  }

  private mutating func fold(_ line: UnsafeRawBufferPointer) {
    guard let last = places.indices.last else { return }
    let start = bytes.count
    bytes += bytes[places[last].value]
    bytes.append(UInt8(ascii: " "))
    bytes.append(contentsOf: line[Self.trimmed(line, 0..<line.count)])
    places[last].value = start..<bytes.count
  }

  private static func trimmed(_ line: UnsafeRawBufferPointer, _ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, ASCII.isBlank(line[start]) { start += 1 }
    while start < end, ASCII.isBlank(line[end - 1]) { end -= 1 }
    return start..<end
  }

  /// All of them as texts, repaired with U+FFFD where they are not UTF-8.
  var all: [HTTPFields.Field] { places.map { HTTPFields.Field(text($0.name), text($0.value)) } }

  /// The value of the first field of that name; nil when there is none.
  func first(_ name: String) -> String? {
    withFirst(name) { String(decoding: $0, as: UTF8.self) }
  }

  /// Lends the value of the first field of that name; nil when there is none.
  func withFirst<Result>(_ name: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result?) -> Result? {
    place(of: name, from: 0).flatMap { withBytes(places[$0].value, body) }
  }

  /// As above, when there is no second one.
  func withSole<Result>(_ name: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result?) -> Result? {
    guard let found = place(of: name, from: 0), place(of: name, from: found + 1) == nil else { return nil }
    return withBytes(places[found].value, body)
  }

  /// The values of every field of that name, empty ones left out.
  func values(_ name: String) -> [String] {
    var values: [String] = []
    var next = 0
    while let found = place(of: name, from: next) {
      if !places[found].value.isEmpty { values.append(text(places[found].value)) }
      next = found + 1
    }
    return values
  }

  private func place(of name: String, from first: Int) -> Int? {
    var name = name
    return name.withUTF8 { name in
      bytes.withUnsafeBufferPointer { bytes in
        var found = first
        while found < places.count {
          let place = places[found].name
          if place.count == name.count, ASCII.equalIgnoringCase(bytes[place], name) { return found }
          found += 1
        }
        return nil
      }
    }
  }

  private func text(_ range: Range<Int>) -> String { withBytes(range) { String(decoding: $0, as: UTF8.self) } }

  private func withBytes<Result>(_ range: Range<Int>, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[range])) }
  }
}
