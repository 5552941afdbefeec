// The bytes of a response head, and what they say (RFC 9112 sections 2.1, 4, 5 and 6). Pure; libcurl has already split
// them into lines and gives HTTP/2 heads in the same form.

import TransferModel

/// Collects the lines of one head. Kept from exchange to exchange, so that its buffers are allocated once.
final class HeadBuffer {
  enum Progress {
    case incomplete
    /// The blank line has come.
    case complete
    case tooLarge
  }

  /// More than this, field lines together, counts as a flood.
  static let limit = 256 << 10

  /// nil when the head's first line is none.
  private var status: StatusLine?
  private var fields = ReceivedFields()
  private var count = 0

  func clear() {
    status = nil
    fields.removeAll()
    count = 0
  }

  /// Appends one line with its line end. A status line begins a new head: whatever came before was for another one
  /// (libcurl sends a request again by itself when a kept connection proves dead).
  func append(_ line: UnsafeRawBufferPointer) -> Progress {
    let isStatus = StatusLine.isOne(line)
    if isStatus { clear() }
    count += line.count
    guard count <= Self.limit else { return .tooLarge }
    if isStatus {
      status = StatusLine(line)
      return .incomplete
    }
    if line.first == UInt8(ascii: "\r") || line.first == UInt8(ascii: "\n") { return .complete }
    fields.append(line)
    return .incomplete
  }

  func parse() throws(HeadViolation) -> ParsedHead {
    guard let status else { throw .statusLine }
    return try ParsedHead(status, HTTPFields(fields))
  }
}

/// `HTTP/1.1 200 OK`, `HTTP/2 200`.
struct StatusLine {
  let majorVersion: Int
  let code: Int

  static func isOne(_ line: UnsafeRawBufferPointer) -> Bool {
    line.count > 5 && line[0] == UInt8(ascii: "H") && line[1] == UInt8(ascii: "T") && line[2] == UInt8(ascii: "T")
      && line[3] == UInt8(ascii: "P") && line[4] == UInt8(ascii: "/")
  }

  /// nil when it only begins like one. The line may have its end.
  init?(_ line: UnsafeRawBufferPointer) {
    guard Self.isOne(line), ASCII.isDigit(line[5]), let blank = line.firstIndex(of: UInt8(ascii: " ")), blank > 5,
      line.count >= blank + 4
    else { return nil }
    let rest = line[(blank + 4)...]
    guard
      rest.isEmpty || rest.first == UInt8(ascii: " ") || rest.elementsEqual("\r\n".utf8)
        || rest.elementsEqual("\n".utf8)
    else { return nil }
    var code = 0
    for digit in line[blank + 1...blank + 3] {
      guard ASCII.isDigit(digit) else { return nil }
      code = code * 10 + Int(digit &- 0x30)
    }
    guard code >= 100 else { return nil }
    majorVersion = Int(line[5] &- 0x30)
    self.code = code
  }
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

  init(_ status: StatusLine, _ fields: HTTPFields) throws(HeadViolation) {
    if status.code == 101 { throw .upgrade }
    head = HTTPResponseHead(status: status.code, fields: fields)
    majorVersion = status.majorVersion
    if let coding = fields.values("Transfer-Encoding").last {
      // The length is overridden by the coding (RFC 9112 section 6.3, rule 3).
      hasTransferCoding = true
      let last = coding.split(separator: ",").last.map { $0.filter { $0 != " " }.lowercased() }
      isChunked = last == "chunked"
    } else {
      head.contentLength = try Self.length(fields)
    }
  }

  /// Several equal values count as one (RFC 9110 section 8.6).
  private static func length(_ fields: HTTPFields) throws(HeadViolation) -> Int64? {
    if let length = fields.soleNumber("Content-Length") { return length }
    var length: Int64?
    for value in fields.values("Content-Length") {
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
