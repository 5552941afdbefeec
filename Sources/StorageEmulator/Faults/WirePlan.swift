// An answer whose framing is wrong on purpose, as steps: which bytes, which pauses, which ending. A pure function of the
// answer and the faults; the steps are carried out by `WirePlayer`.

import TransferModel

/// What goes over a connection that the HTTP library has let go of.
struct WirePlan {
  enum Step {
    case bytes([UInt8])
    case content(BodyPiece, isChunked: Bool)
    /// nil = until the client goes or the server stops.
    case pause(Duration?)
  }

  enum Ending {
    case close
    case reset
  }

  var steps: [Step] = []
  var ending = Ending.close
  /// Bytes of the body a second; nil = as fast as they are taken.
  var rate: Int64?

  /// `isSilent`: the end of the connection is not announced.
  init(
    _ answer: EmulatorAnswer, _ faults: WireFaults, delay: Duration?, isHead: Bool, isSilent: Bool, now: Timestamp
  ) {
    if let delay { steps.append(.pause(delay)) }
    if faults.isEmptyReply { return }
    if faults.isGarbage {
      steps.append(.bytes([0x16, 0x03, 0x01, 0x00, 0xFF] + Array(repeating: 0xA5, count: 59)))
      return
    }
    rate = faults.throttle
    ending = faults.reset == nil ? .close : .reset
    let isChunked = faults.isChunked || (answer.hidesLength && !faults.isCloseDelimited && faults.length == nil)
    let limit = faults.cut ?? faults.reset
    let isBroken = limit != nil || faults.length != nil || isSilent
    steps.append(.bytes(Self.head(answer, faults, isChunked: isChunked, announcesClose: !isBroken, now: now)))
    guard !isHead, answer.status != 304, answer.status != 204 else { return }
    appendBody(Self.prefix(answer.body, limit), faults, isChunked: isChunked)
    if isChunked, limit == nil {
      let trailer = faults.hasTrailer ? "X-Trailer: sent after the body\r\n" : ""
      steps.append(.bytes(Array("0\r\n\(trailer)\r\n".utf8)))
    }
  }

  private mutating func appendBody(_ pieces: [BodyPiece], _ faults: WireFaults, isChunked: Bool) {
    guard let stall = faults.stall else {
      steps += pieces.map { .content($0, isChunked: isChunked) }
      return
    }
    let before = Self.prefix(pieces, stall.after)
    steps += before.map { .content($0, isChunked: isChunked) }
    steps.append(.pause(stall.duration))
    steps += Self.suffix(pieces, stall.after).map { .content($0, isChunked: isChunked) }
  }

  private static func head(
    _ answer: EmulatorAnswer, _ faults: WireFaults, isChunked: Bool, announcesClose: Bool, now: Timestamp
  ) -> [UInt8] {
    var text = ""
    if let code = faults.informational {
      text += "HTTP/1.1 \(code) \(StatusText.phrase(code))\r\nLink: </hint>; rel=preload\r\n\r\n"
    }
    let version = faults.isCloseDelimited ? "HTTP/1.0" : "HTTP/1.1"
    text += "\(version) \(answer.status) \(StatusText.phrase(answer.status))\r\n"
    if !answer.fields.contains("Date") { text += "Date: \(now.httpDate)\r\n" }
    for field in answer.fields.all { text += "\(field.name): \(field.value)\r\n" }
    if faults.hasTrailer { text += "Trailer: X-Trailer\r\n" }
    if isChunked {
      text += "Transfer-Encoding: chunked\r\n"
    } else if let length = length(answer, faults) {
      text += "Content-Length: \(length)\r\n"
    }
    if announcesClose { text += "Connection: close\r\n" }
    return Array((text + "\r\n").utf8)
  }

  private static func length(_ answer: EmulatorAnswer, _ faults: WireFaults) -> Int64? {
    switch faults.length {
    case .exactly(let length): length
    case .off(by: let difference): max(0, answer.length + difference)
    case nil where !faults.isCloseDelimited && answer.status != 304 && answer.status != 204: answer.length
    default: nil
    }
  }

  /// The first bytes of a body; all of it when `limit` is nil.
  private static func prefix(_ pieces: [BodyPiece], _ limit: Int64?) -> [BodyPiece] {
    guard var left = limit else { return pieces }
    var kept: [BodyPiece] = []
    for piece in pieces where left > 0 {
      kept.append(BodyPiece(content: piece.content, offset: piece.offset, length: min(piece.length, left)))
      left -= piece.length
    }
    return kept
  }

  private static func suffix(_ pieces: [BodyPiece], _ start: Int64) -> [BodyPiece] {
    var skip = start
    var kept: [BodyPiece] = []
    for piece in pieces {
      let passed = min(skip, piece.length)
      skip -= passed
      guard piece.length > passed else { continue }
      kept.append(BodyPiece(content: piece.content, offset: piece.offset + passed, length: piece.length - passed))
    }
    return kept
  }
}

enum StatusText {
  /// The usual phrase; `Status` for codes without one.
  static func phrase(_ code: Int) -> String {
    let phrases = [
      100: "Continue", 102: "Processing", 103: "Early Hints", 200: "OK", 204: "No Content", 206: "Partial Content",
      301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
      308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
      412: "Precondition Failed", 416: "Range Not Satisfiable", 429: "Too Many Requests", 500: "Internal Server Error",
      501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
    ]
    return phrases[code] ?? "Status"
  }
}
