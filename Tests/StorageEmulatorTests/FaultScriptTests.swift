import StorageEmulator
import Testing

/// The text form of faults.
struct FaultScriptTests {
  @Test(arguments: [
    ("  cut 5", "line 1: an action without an 'on' line above it"),
    ("bucket b\nfoo", "line 2: a line begins with on, generate, put or bucket, or is indented"),
    ("on a => fly", "line 1: no action is called 'fly'; --help lists them"),
    ("on a => cut", "line 1: the number of body bytes is missing"),
    ("on a => cut five", "line 1: the number of body bytes is a size such as 64KiB, not 'five'"),
    ("on a => cut 5 6", "line 1: '6' is not understood here"),
    ("on a => status 42", "line 1: 42 is no final status"),
    ("on a b => cut 5", "line 1: 'b' is no condition, and there is a path already"),
    ("on a request 4-2 => cut 5", "line 1: '4-2' is no number such as 3, and no range such as 2-4"),
    ("on {a => cut 5", "line 1: '{a' has an open bracket or brace"),
    ("on \"a => cut 5", "line 1: a quote is not closed"),
    ("on a\n  delay 3", "line 2: the delay is a duration such as 200ms, 3s or +2h, not '3'"),
    ("generate b count 0", "line 1: generate needs a count above 0"),
    ("on a => header X", "line 1: a header is written NAME: VALUE"),
    ("on a => hash sha256 wrong", "line 1: the hashes here are crc32c and md5"),
  ])
  func `what is not understood is told with its line`(script: String, message: String) throws {
    let violation = #expect(throws: FaultScript.Violation.self) { try FaultScript(parsing: script) }
    #expect(violation?.description == message)
  }

  @Test(arguments: [
    ("status 503 retry-after 3 body html", FaultAction.status(503, retryAfter: .seconds(3), body: .html)),
    ("redirect 302 chain 5", .redirect(302, .chain(5))),
    ("auth require \"Bearer x\" else 403", .requireAuthorization("Bearer x", otherwise: 403)),
    ("etag weak", .etag(.weak)), ("etag \"weak\"", .etag(.literal("weak"))),
    ("stall 1KiB for 2s", .stall(after: 1024, for: .seconds(2))),
    ("throttle 64KiB/s", .throttle(65_536)), ("content-length wrong -4", .contentLength(.off(by: -4))),
    ("keep-alive 3 silent", .keepAlive(3, silently: true)), ("swap at byte 7", .swapAtByte(7)),
    ("date-offset -1d", .dateOffset(.seconds(-86_400))), ("head-differs range ignore", .onHead(.range(.ignore))),
    ("list error 503 on page 2", .list(.error(503, page: 2))), ("header \"A: b;c\"", .setHeader("A", "b;c")),
  ])
  func `an action has one meaning`(text: String, action: FaultAction) throws {
    #expect(try FaultScript(parsing: "on a => " + text).rules.map(\.actions) == [[action]])
    #expect(try FaultScript(parsing: "on a # why\n\t\(text); cut 1\n\n").rules.map(\.actions) == [[action, .cut(1)]])
  }

  @Test(arguments: [
    ("on b/x => status 500", "GET", "/b/x", [], true), ("on b/y => status 500", "GET", "/b/x", [], false),
    ("on b/* => status 500", "GET", "/b/x/y", [], false), ("on b/** => status 500", "GET", "/v0/b/b/o/x%2Fy", [], true),
    ("on HEAD b/x => status 500", "GET", "/b/x", [], false),
    ("on media => status 500", "GET", "/v0/b/b/o/x", [], false),
    ("on metadata => status 500", "GET", "/v0/b/b/o/x", [], true),
    ("on list => status 500", "GET", "/v0/b/b/o", [], true),
    ("on list b/ => status 500", "GET", "/storage/v1/b/b/o?prefix=x", [], true),
    ("on firebase => status 500", "GET", "/storage/v1/b/b/o", [], false),
    ("on google => status 500", "GET", "/storage/v1/b/b/o", [], true),
    ("on target /v0/b/b/o/x%2F => status 500", "GET", "/v0/b/b/o/x%2Fy", [], true),
    ("on with Range => status 500", "GET", "/b/x", ["Range: bytes=0-"], true),
    ("on with Range => status 500", "GET", "/b/x", [], false),
    ("on host 127.0.0.1 => status 500", "GET", "/b/x", [], true),
    ("on host localhost => status 500", "GET", "/b/x", [], false),
    ("on connection 2 => status 500", "GET", "/b/x", [], false), ("on => status 500", "GET", "/b/x", [], true),
  ])
  func `a rule is for the requests that it names`(
    script: String, method: String, target: String, fields: [String], applies: Bool
  ) throws {
    let server = try StorageEmulator.holding("x", "x/y")
    try server.play(script)
    let response = try RawClient(port: server.port).exchange(method, target, fields)
    #expect((response.status == 500) == applies)
  }

  @Test(arguments: [
    ("2", [200, 500, 200, 200, 200]), ("2-3", [200, 500, 500, 200, 200]), ("every 2", [200, 500, 200, 500, 200]),
    ("after 3", [200, 200, 200, 500, 500]),
  ])
  func `requests are counted for each path by itself`(ordinals: String, statuses: [Int]) throws {
    let server = try StorageEmulator.holding("x", "y")
    try server.play("on b/* request \(ordinals) => status 500")
    let client = try RawClient(port: server.port)
    for name in ["x", "y"] {
      #expect((0..<5).map { _ in client.exchange("GET", "/b/\(name)").status } == statuses)
    }
  }

  @Test func `or all together`() throws {
    let server = try StorageEmulator.holding("x", "y")
    try server.play("on b/* request 2 of-all => status 500")
    #expect(try server.ask("/b/x").status == 200)
    #expect(try server.ask("/b/y").status == 500)
  }

  @Test func `scripts put objects that no folder can hold`() throws {
    let server = try StorageEmulator()
    try server.play(
      """
      generate many count 3 prefix p/ suffix .x size 5
      put odd "a//b" text "hello world" type text/x generation 7
      put odd ../x size 10
      bucket empty
      """)
    #expect(values(of: "name", in: try server.ask("/v0/b/many/o").text) == ["p/0.x", "p/1.x", "p/2.x"])
    #expect(try server.ask("/many/p/2.x").body.count == 5)
    let odd = try server.ask("/odd/a//b")
    #expect(odd.text == "hello world" && odd["Content-Type"] == "text/x" && odd["x-goog-generation"] == "7")
    #expect(try server.ask("/odd/../x").body.count == 10)
    #expect(try server.ask("/v0/b/empty/o").text == #"{"prefixes":[],"items":[]}"#)
  }
}
