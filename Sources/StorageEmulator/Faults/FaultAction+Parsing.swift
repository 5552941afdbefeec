// Reads one action of a fault script.

import TransferModel

extension FaultAction {
  init(parsing words: inout ScriptWords) throws(FaultScript.Violation) {
    let name = try words.next("the action")
    switch name {
    case "status": self = try Self.status(&words)
    case "redirect": self = try Self.redirect(&words)
    case "auth":
      guard words.take("require") else { throw words.violation("auth needs: require VALUE") }
      let value = try words.next("the Authorization value")
      self = .requireAuthorization(value, otherwise: words.take("else") ? try words.count("the status") : 401)
    case "etag", "last-modified", "generation", "hash", "header", "add-header", "remove-header", "date-offset",
      "huge-header":
      self = try Self.field(name, &words)
    case "range": self = .range(try Self.range(&words))
    case "list": self = .list(try Self.list(&words))
    case "content-encoding":
      let coding = try words.next("gzip or double-gzip")
      guard coding == "gzip" || coding == "double-gzip" else {
        throw words.violation("no coding is called '\(coding)'")
      }
      self = .contentEncoding(coding == "gzip" ? .gzip : .doubleGzip)
    case "swap":
      let position = words.take("at") ? try Self.position(&words) : nil
      let other = words.take("with") ? try words.next("the name of an object") : nil
      self = position.map { .swapAtByte($0, with: other) } ?? .swap(with: other)
    case "head-differs": self = .onHead(try FaultAction(parsing: &words))
    default: self = try Self.onTheWire(name, &words)
    }
  }

  private static func onTheWire(
    _ name: String, _ words: inout ScriptWords
  ) throws(FaultScript.Violation) -> FaultAction {
    switch name {
    case "delay": return .delay(try words.duration("the delay"))
    case "stall":
      let after = try words.size("the number of body bytes")
      return .stall(after: after, for: words.take("for") ? try words.duration("the length of the stall") : nil)
    case "throttle":
      let text = try words.next("the rate")
      let number = text.hasSuffix("/s") ? String(text.dropLast(2)) : text
      guard let rate = ByteCount(parsing: number), rate.bytes > 0 else {
        throw words.violation("a rate is a size a second such as 64KiB/s, not '\(text)'")
      }
      return .throttle(rate.bytes)
    case "content-length":
      if words.take("none") { return .contentLength(.none) }
      if words.take("wrong") { return .contentLength(.off(by: try words.number("the difference"))) }
      return .contentLength(.exactly(try words.size("the length")))
    case "chunked": return .chunked
    case "close-delimited": return .closeDelimited
    case "cut": return .cut(try words.size("the number of body bytes"))
    case "reset": return .reset(try words.size("the number of body bytes"))
    case "empty-reply": return .emptyReply
    case "keep-alive": return .keepAlive(try words.count("the number of requests"), silently: words.take("silent"))
    case "trailer": return .trailer
    case "informational": return .informational(try words.count("the status"))
    case "garbage": return .garbage
    default: throw words.violation("no action is called '\(name)'; --help lists them")
    }
  }

  private static func status(_ words: inout ScriptWords) throws(FaultScript.Violation) -> FaultAction {
    let code = try words.count("the status")
    guard (200...999).contains(code) else { throw words.violation("\(code) is no final status") }
    var retryAfter: RetryAfter?
    var body: FaultBody?
    while !words.isEmpty {
      if words.take("retry-after") {
        retryAfter = .seconds(try words.count("the seconds"))
      } else if words.take("retry-after-date") {
        retryAfter = .date(try words.duration("the wait"))
      } else if words.take("body") {
        body = try Self.body(&words)
      } else {
        break
      }
    }
    return .status(code, retryAfter: retryAfter, body: body)
  }

  private static func body(_ words: inout ScriptWords) throws(FaultScript.Violation) -> FaultBody {
    let kinds: [(String, FaultBody)] = [
      ("html", .html), ("json-firebase", .jsonFirebase), ("json-gcs", .jsonGoogle), ("xml", .xml), ("empty", .empty),
    ]
    for (word, kind) in kinds where words.take(word) { return kind }
    if words.take("text") { return .text(try words.next("the text")) }
    if words.take("bytes") { return .bytes(Int(try words.size("the number of bytes"))) }
    throw words.violation("a body is html, json-firebase, json-gcs, xml, empty, text T or bytes N")
  }

  private static func redirect(_ words: inout ScriptWords) throws(FaultScript.Violation) -> FaultAction {
    let code = try words.count("the status")
    if words.take("loop") { return .redirect(code, .loop) }
    if words.take("chain") { return .redirect(code, .chain(try words.count("the number of hops"))) }
    return .redirect(code, .to(try words.next("the URL")))
  }

  private static func field(
    _ name: String, _ words: inout ScriptWords
  ) throws(FaultScript.Violation) -> FaultAction {
    switch name {
    case "etag":
      if words.take("none") { return .etag(.none) }
      if words.take("strong") { return .etag(.strong) }
      if words.take("weak") { return .etag(.weak) }
      return .etag(.literal(try words.next("the entity tag")))
    case "last-modified":
      return words.take("none") ? .lastModified(nil) : .lastModified(words.rest())
    case "generation": return words.take("none") ? .generation(nil) : .generation(try words.number("the generation"))
    case "hash":
      if words.take("none") { return .hash(.none) }
      let text = try words.next("crc32c, md5 or none")
      guard let algorithm = DigestAlgorithm(rawValue: text), text == "crc32c" || text == "md5" else {
        throw words.violation("the hashes here are crc32c and md5")
      }
      if words.take("wrong") { return .hash(.wrong(algorithm)) }
      guard words.take("none") else { throw words.violation("a hash is wrong or none") }
      return .hash(.without(algorithm))
    case "date-offset": return .dateOffset(try words.duration("the offset"))
    case "huge-header": return .hugeHeader(Int(try words.size("the number of bytes")))
    case "remove-header": return .removeHeader(try words.next("the field's name"))
    default:
      let field = words.rest()
      guard let colon = field.firstIndex(of: ":"), colon != field.startIndex else {
        throw words.violation("a header is written NAME: VALUE")
      }
      let value = String(field[field.index(after: colon)...].drop { $0 == " " })
      return name == "header" ? .setHeader(String(field[..<colon]), value) : .addHeader(String(field[..<colon]), value)
    }
  }

  private static func range(_ words: inout ScriptWords) throws(FaultScript.Violation) -> RangeFault {
    if words.take("ignore") { return .ignore }
    if words.take("shift") { return .shift(try words.number("the number of bytes")) }
    if words.take("short") { return .short(try words.number("the number of bytes")) }
    if words.take("no-content-range") { return .noContentRange }
    if words.take("always-206") { return .always206 }
    if words.take("416") { return .notSatisfiable(withTotal: !words.take("no-total")) }
    throw words.violation("range takes ignore, shift N, short N, no-content-range, always-206 or 416 [no-total]")
  }

  private static func list(_ words: inout ScriptWords) throws(FaultScript.Violation) -> ListFault {
    if words.take("empty") { return .empty }
    if words.take("repeat-token") { return .repeatToken }
    if words.take("duplicate") { return .duplicate }
    if words.take("empty-page") { return .emptyPage(words.isEmpty ? 1 : try words.count("the page")) }
    if words.take("drop") { return .drop(try words.count("the number of names")) }
    if words.take("error") {
      let status = try words.count("the status")
      guard words.take("on"), words.take("page") else { throw words.violation("expected: on page N") }
      return .error(status, page: try words.count("the page"))
    }
    throw words.violation("list takes empty, repeat-token, duplicate, empty-page [N], drop N or error N on page N")
  }

  private static func position(_ words: inout ScriptWords) throws(FaultScript.Violation) -> Int64 {
    guard words.take("byte") else { throw words.violation("expected: at byte N") }
    return try words.size("the position")
  }
}
