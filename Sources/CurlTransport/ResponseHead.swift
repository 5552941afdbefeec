// The bytes of a response head, and what they say (RFC 9112 sections 2.1, 4, 5 and 6). Pure; libcurl has already split
// them into lines and gives HTTP/2 heads in the same form.

import TransferModel

/// Collects the lines of one head. Kept from exchange to exchange, so that the buffer is allocated once.
struct HeadBuffer {
  enum Progress {
    case incomplete
    /// The blank line has come.
    case complete
    case tooLarge
  }

  /// More than this, field lines together, counts as a flood.
  static let limit = 256 << 10

  private var bytes: [UInt8] = []

  mutating func clear() { bytes.removeAll(keepingCapacity: true) }

  /// Appends one line with its line end. A status line begins a new head: whatever came before was for another one
  /// (libcurl sends a request again by itself when a kept connection proves dead).
  mutating func append(_ line: UnsafeRawBufferPointer) -> Progress {
    if line.first == UInt8(ascii: "H"), line.starts(with: "HTTP/".utf8) { clear() }
    guard bytes.count + line.count <= Self.limit else { return .tooLarge }
    bytes.append(contentsOf: line)
    return line.first == UInt8(ascii: "\r") || line.first == UInt8(ascii: "\n") ? .complete : .incomplete
  }

  func parse() throws(HeadViolation) -> ParsedHead { try ParsedHead(bytes) }
}

/// Why a head is refused.
enum HeadViolation: String, Error {
  case statusLine = "the status line is not one"
  case upgrade = "the server switched protocols unasked"
  case contentLength = "Content-Length is not a number, or several that differ"
  case tooLarge = "the header section is larger than 256 KiB"
}

struct ParsedHead {
  var head: HTTPResponseHead
  var majorVersion: Int
  /// Whether a transfer coding is there, and whether chunked is the last.
  var hasTransferCoding = false
  var isChunked = false

  /// 1xx: another head follows (RFC 9110 section 15.2).
  var isInterim: Bool { head.status < 200 }

  /// Whether the body's end is marked, by the rules of RFC 9112 section 6.3.
  func isFramed(answering method: HTTPRequest.Method) -> Bool {
    if majorVersion >= 2 || method == .head || head.status == 204 || head.status == 304 { return true }
    if hasTransferCoding { return isChunked }
    return head.contentLength != nil
  }

  init(_ bytes: [UInt8]) throws(HeadViolation) {
    let read = bytes.withUnsafeBufferPointer { bytes in
      Result { () throws(HeadViolation) in try Self.read(bytes) }
    }
    let (code, major, fields) = try read.get()
    head = HTTPResponseHead(status: code, fields: HTTPFields(fields))
    majorVersion = major
    if let coding = head.fields.values("Transfer-Encoding").last {
      // The length is overridden by the coding (RFC 9112 section 6.3, rule 3).
      hasTransferCoding = true
      let last = coding.split(separator: ",").last.map { $0.filter { $0 != " " }.lowercased() }
      isChunked = last == "chunked"
    } else {
      head.contentLength = try Self.length(head.fields.values("Content-Length"))
    }
  }

  private static func read(
    _ bytes: UnsafeBufferPointer<UInt8>
  ) throws(HeadViolation) -> (code: Int, majorVersion: Int, fields: [HTTPFields.Field]) {
    var lines = HeadLines(bytes)
    guard let first = lines.next(), let status = Self.statusLine(first) else { throw .statusLine }
    if status.code == 101 { throw .upgrade }
    var fields: [HTTPFields.Field] = []
    fields.reserveCapacity(16)
    while let line = lines.next() { addField(line, to: &fields) }
    return (status.code, status.majorVersion, fields)
  }

  /// `HTTP/1.1 200 OK`, `HTTP/2 200`.
  private static func statusLine(_ line: UnsafeBufferPointer<UInt8>) -> (majorVersion: Int, code: Int)? {
    guard line.starts(with: "HTTP/".utf8), let blank = line.firstIndex(of: UInt8(ascii: " ")), blank > 5,
      line.count >= blank + 4, line.count == blank + 4 || line[blank + 4] == UInt8(ascii: " "), line[5].isDigit
    else { return nil }
    var code = 0
    for place in blank + 1...blank + 3 {
      guard line[place].isDigit else { return nil }
      code = code * 10 + Int(line[place] &- 0x30)
    }
    return code >= 100 ? (Int(line[5] &- 0x30), code) : nil
  }

  /// Text that is not UTF-8 is repaired with U+FFFD. A line without a name is left out; a folded line continues the
  /// value before it (RFC 9112 section 5.2).
  private static func addField(_ line: UnsafeBufferPointer<UInt8>, to fields: inout [HTTPFields.Field]) {
    if line[0].isBlank {
      guard let last = fields.indices.last else { return }
      fields[last].value += " " + text(line, 0)
      return
    }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0, !line[colon - 1].isBlank else { return }
    let name = String(decoding: UnsafeBufferPointer(rebasing: line[..<colon]), as: UTF8.self)
    fields.append(HTTPFields.Field(name, text(line, colon + 1)))
  }

  /// From a place to the end, without blanks at either end.
  private static func text(_ line: UnsafeBufferPointer<UInt8>, _ first: Int) -> String {
    var (start, end) = (first, line.count)
    while start < end, line[start].isBlank { start += 1 }
    while start < end, line[end - 1].isBlank { end -= 1 }
    return String(decoding: UnsafeBufferPointer(rebasing: line[start..<end]), as: UTF8.self)
  }

  /// Several equal values count as one (RFC 9110 section 8.6).
  private static func length(_ values: [String]) throws(HeadViolation) -> Int64? {
    if values.count == 1, let length = ASCII.number(values[0].utf8) { return length }
    var length: Int64?
    for value in values {
      for part in value.split(separator: ",", omittingEmptySubsequences: false) {
        guard let number = ASCII.number(ASCII.trimmed(part).utf8), length == nil || length == number else {
          throw .contentLength
        }
        length = number
      }
    }
    return length
  }
}

/// The lines of a head, without their ends and without the blank last line.
private struct HeadLines {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  mutating func next() -> UnsafeBufferPointer<UInt8>? {
    guard position < bytes.count else { return nil }
    let start = position
    let newline = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
    position = newline + 1
    var end = newline
    if end > start, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    return end > start ? UnsafeBufferPointer(rebasing: bytes[start..<end]) : nil
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
  fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
}
