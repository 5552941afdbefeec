import Glibc
import StorageEmulator
import Testing

/// Each fault that leaves the framing right, over the wire.
struct FaultTests {
  private func server(_ script: String) throws -> StorageEmulator {
    let server = try StorageEmulator.holding("a", "other")
    try server.play(script)
    return server
  }

  @Test func `a status by request number, with its wait and body`() throws {
    let server = try server("on b/a request 1-2 => status 503 retry-after 3 body html")
    let client = try RawClient(port: server.port)
    let first = client.exchange("GET", "/b/a")
    #expect(first.status == 503 && first["Retry-After"] == "3" && first.text.hasPrefix("<!DOCTYPE html>"))
    #expect(client.exchange("GET", "/b/other").status == 200)
    #expect(client.exchange("GET", "/b/a").status == 503)
    #expect(client.exchange("GET", "/b/a").status == 200)
    #expect(server.log.map(\.connection) == [1, 1, 1, 1])
  }

  @Test(arguments: [
    ("json-firebase", #"{"error":{"code":500,"message":"Scripted answer 500"}}"#),
    (
      "json-gcs",
      #"{"error":{"code":500,"message":"Scripted answer 500","errors":[{"domain":"global","#
        + #""reason":"internalError","message":"Scripted answer 500"}]}}"#
    ),
    (
      "xml",
      "<?xml version='1.0' encoding='UTF-8'?><Error><Code>InternalError</Code>"
        + "<Message>Scripted answer 500</Message></Error>"
    ),
    ("text \"a b\"", "a b"), ("bytes 3", "xxx"), ("empty", ""),
  ])
  func `bodies of errors`(body: String, text: String) throws {
    #expect(try server("on b/a => status 500 body \(body)").ask("/b/a").text == text)
  }

  @Test func `Retry-After as a date goes by the server's clock`() throws {
    let response = try server("on b/a => date-offset +2h; status 503 retry-after-date +4s").ask("/b/a")
    let date = try #require(response["Date"])
    let retry = try #require(response["Retry-After"])
    #expect(date.hasSuffix(" GMT") && retry.hasSuffix(" GMT") && date != retry)
    #expect(response.fields.count { $0.name == "Date" } == 1)
    var now = time(nil)
    var parts = tm()
    gmtime_r(&now, &parts)
    #expect(!date.contains(" \(parts.tm_hour < 10 ? "0" : "")\(parts.tm_hour):"))
  }

  @Test func `entity tags, dates, generations and hashes`() throws {
    let weak = try server("on b/a => etag weak; last-modified none; hash none; generation none").ask("/b/a")
    #expect(weak["ETag"]?.hasPrefix("W/\"") == true)
    #expect(weak["Last-Modified"] == nil && weak["x-goog-hash"] == nil && weak["x-goog-generation"] == nil)
    let none = try server("on b/a => etag none; last-modified Tue, 15 Nov 1994 08:12:31 EST; hash md5 none").ask("/b/a")
    #expect(none["ETag"] == nil && none["Last-Modified"] == "Tue, 15 Nov 1994 08:12:31 EST")
    #expect(none["x-goog-hash"] == "crc32c=4sJ49Q==")
    let literal = try server("on b/a => etag \"\\\"v1\\\"\"; generation 5; hash crc32c wrong").ask("/b/a")
    #expect(literal["ETag"] == "\"v1\"" && literal["x-goog-generation"] == "5")
    #expect(literal["x-goog-hash"] == "crc32c=HT2HCg==,md5=Q3uTDbhLgHnC3YBKcZNrXw==")
    #expect(try server("on b/a => etag weak; etag strong").ask("/b/a")["ETag"]?.hasPrefix("\"") == true)
  }

  @Test func `facts are altered in Firebase's answers too, the first one included`() throws {
    let server = try server("on b/a => generation 5; hash crc32c wrong")
    for _ in 0..<2 {
      let answer = try server.ask("/v0/b/b/o/a?alt=media")
      #expect(answer["x-goog-generation"] == "5")
      #expect(answer["x-goog-hash"] == "crc32c=HT2HCg==,md5=Q3uTDbhLgHnC3YBKcZNrXw==")
    }
  }

  @Test func `wrong hashes show in JSON too`() throws {
    let text = try server("on b/a => hash md5 wrong").ask("/storage/v1/b/b/o/a").text
    #expect(values(of: "md5Hash", in: text) == ["vIRs8ke0f4Y9In+1jmyUoA=="])
    let list = try server("on list b/ => hash none").ask("/storage/v1/b/b/o").text
    #expect(!list.contains("md5Hash") && !list.contains("crc32c"))
  }

  @Test func `header fields are set, added, emptied and removed`() throws {
    let response = try server(
      """
      on b/a
        header Content-Type: text/html; header X-Empty:
        add-header Set-Cookie: a=1; add-header Set-Cookie: b=2
        remove-header Accept-Ranges
      """
    ).ask("/b/a")
    #expect(response["Content-Type"] == "text/html" && response["X-Empty"] == "" && response["Accept-Ranges"] == nil)
    #expect(response.fields.filter { $0.name == "Set-Cookie" }.map(\.value) == ["a=1", "b=2"])
    #expect(try server("on b/a => huge-header 100KB").ask("/b/a")["X-Huge"]?.utf8.count == 100_000)
  }

  @Test(
    arguments: [
      ("ignore", "bytes=1-4", 200, nil, "something"), ("shift 1", "bytes=1-4", 206, "bytes 2-5/9", "meth"),
      ("short 2", "bytes=1-4", 206, "bytes 1-2/9", "om"), ("no-content-range", "bytes=1-4", 206, nil, "omet"),
      ("always-206", "", 206, "bytes 0-8/9", "something"), ("416", "bytes=1-4", 416, "bytes */9", nil),
      ("416 no-total", "bytes=1-4", 416, nil, nil),
    ] as [(String, String, Int, String?, String?)])
  func `ranges go wrong`(fault: String, range: String, status: Int, contentRange: String?, body: String?) throws {
    let response = try server("on b/a => range \(fault)").ask("/b/a", range.isEmpty ? "X-None: 1" : "Range: " + range)
    #expect(response.status == status && response["Content-Range"] == contentRange)
    if let body { #expect(response.text == body) }
  }

  @Test func `gzip on the fly leaves the hash alone, double gzip is stored so`() throws {
    let once = try server("on b/a => content-encoding gzip").ask("/b/a", "Accept-Encoding: gzip")
    #expect(once["Content-Encoding"] == "gzip" && once.body.starts(with: [0x1F, 0x8B]))
    #expect(once["x-goog-hash"]?.hasPrefix("crc32c=4sJ49Q==") == true)
    let twice = try server("on b/a => content-encoding double-gzip").ask("/b/a")
    // Decoded by the server, which takes one layer off.
    #expect(twice["Content-Encoding"] == nil && twice.body == once.body)
    #expect(twice["x-goog-hash"]?.hasPrefix("crc32c=4sJ49Q==") == false)
  }

  @Test func `HEAD can differ from GET`() throws {
    let server = try server("on b/a => head-differs etag weak; head-differs header Content-Type: x/y")
    #expect(try server.ask("/b/a", method: "HEAD")["ETag"]?.hasPrefix("W/") == true)
    #expect(try server.ask("/b/a")["ETag"]?.hasPrefix("W/") == false)
  }

  @Test func `any target can be given an answer`() throws {
    let server = try server(
      """
      on POST target /oauth2/token
        status 200 body text "{\\"access_token\\":\\"t\\"}"; header Content-Type: application/json
      """)
    let response = try server.ask("/oauth2/token", method: "POST", body: "grant_type=x")
    #expect(response.text == #"{"access_token":"t"}"# && response["Content-Type"] == "application/json")
    #expect(server.log.map(\.body) == [Array("grant_type=x".utf8)])
  }

  @Test func `auth is asked for`() throws {
    let server = try server("on b/** => auth require \"Bearer x\"")
    let refused = try server.ask("/storage/v1/b/b/o/a")
    #expect(refused.status == 401 && refused.text.contains("Login Required.") && refused["WWW-Authenticate"] != nil)
    #expect(try server.ask("/storage/v1/b/b/o/a", "Authorization: Bearer y").status == 401)
    #expect(try server.ask("/storage/v1/b/b/o/a", "Authorization: Bearer x").status == 200)
  }

  @Test func `an object is swapped between requests`() throws {
    let server = try server("on b/a request after 1 => swap\nput b new text \"a newer one\"")
    let old = try server.ask("/b/a")
    let new = try server.ask("/b/a")
    #expect(new.body == old.body.map { ~$0 })
    #expect(Int64(new["x-goog-generation"] ?? "") == Int64(old["x-goog-generation"] ?? "").map { $0 + 1 })
    #expect(new["x-goog-hash"] != old["x-goog-hash"])
    try server.faults.set("on b/a => swap with new")
    #expect(try server.ask("/b/a").text == "a newer one")
  }

  @Test func `an object is swapped in the middle of a body`() throws {
    let server = try server("on b/a => swap at byte 4 with new\nput b new text 123456789")
    let whole = try server.ask("/b/a")
    #expect(whole.text == "some56789")
    #expect(whole["x-goog-hash"]?.hasPrefix("crc32c=4sJ49Q==") == true)
    #expect(try server.ask("/b/a", "Range: bytes=3-5").text == "e56")
  }

  @Test func `redirects: a loop, a chain and another place`() throws {
    #expect(try server("on b/a => redirect 302 loop").ask("/b/a?x=1")["Location"] == "/b/a?x=1")
    let chain = try server("on b/a => redirect 307 chain 2")
    #expect(try chain.ask("/b/a?x=1")["Location"] == "/b/a?x=1&_hop=1")
    #expect(try chain.ask("/b/a?x=1&_hop=1")["Location"] == "/b/a?x=1&_hop=2")
    #expect(try chain.ask("/b/a?x=1&_hop=2").status == 200)
    let cross = try server("on b/a host 127.0.0.1 => redirect 301 \"http://localhost:{port}{target}\"")
    let response = try cross.ask("/b/a")
    #expect(response.status == 301 && response["Location"]?.hasSuffix("/b/a") == true)
    #expect(try server("on b/a => redirect 302 file:///etc/passwd").ask("/b/a")["Location"] == "file:///etc/passwd")
  }

  @Test func `delays hold up one connection and no other`() throws {
    let server = try server("on b/a => delay 150ms")
    let slow = try RawClient(port: server.port)
    slow.send("GET", "/b/a")
    let quick = try RawClient(port: server.port)
    for _ in 0..<20 { #expect(quick.exchange("GET", "/b/other").status == 200) }
    let again = try RawClient(port: server.port)
    #expect(again.exchange("GET", "/b/a").text == "something")
    #expect(again.firstByte >= .milliseconds(140))
  }

  @Test func `lists: empty, dropped, doubled`() throws {
    let path = "/storage/v1/b/b/o?fields=items(name),nextPageToken"
    #expect(try server("on list b/ => list empty").ask(path).text == "{}")
    #expect(values(of: "name", in: try server("on list b/ => list drop 1").ask(path).text) == ["a"])
    #expect(
      values(of: "name", in: try server("on list b/ => list duplicate").ask(path).text) == ["a", "a", "other", "other"])
  }

  @Test func `M11 lists: an empty page that has a token`() throws {
    let server = try server("on list b/ => list empty-page")
    let first = try server.ask("/v0/b/b/o").text
    #expect(values(of: "name", in: first).isEmpty)
    let token = try #require(values(of: "nextPageToken", in: first).first).replacing("=", with: "%3D")
    #expect(values(of: "name", in: try server.ask("/v0/b/b/o?pageToken=\(token)").text) == ["a", "other"])
  }

  @Test func `M10 M13 lists: an error on a page, a token that repeats`() throws {
    let path = "/v0/b/b/o?maxResults=1"
    let failing = try server("on list b/ => list error 500 on page 2")
    let token = values(of: "nextPageToken", in: try failing.ask(path).text)[0].replacing("=", with: "%3D")
    #expect(try failing.ask(path + "&pageToken=" + token).status == 500)
    let repeating = try server("put b third text 3\non list b/ => list repeat-token")
    let first = values(of: "nextPageToken", in: try repeating.ask(path).text)[0]
    let second = try repeating.ask(path + "&pageToken=" + first.replacing("=", with: "%3D")).text
    #expect(values(of: "nextPageToken", in: second) == [first])
  }
}
