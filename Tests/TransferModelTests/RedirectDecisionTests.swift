// Where redirects may lead.

import Testing
import TransferModel

@Suite("Redirects")
struct RedirectDecisionTests {
  private func url(_ text: String) throws -> HTTPURL { try HTTPURL(parsing: text) }

  @Test(
    "a location is resolved as RFC 3986 says",
    arguments: [
      ("https://a.example/x/y?q=1", "https://b.example/z", "https://b.example/z"),
      ("https://a.example/x/y?q=1", "/z", "https://a.example/z"),
      ("https://a.example:8443/x/y", "/z?k=v", "https://a.example:8443/z?k=v"),
      ("https://a.example/x/y", "z", "https://a.example/x/z"),
      ("https://a.example/x/y", "../z", "https://a.example/z"),
      ("https://a.example/x/y", "../../../z", "https://a.example/z"),
      ("https://a.example/x/y", "./", "https://a.example/x/"),
      ("https://a.example/x/y?q=1", "?r=2", "https://a.example/x/y?r=2"),
      ("https://a.example/x/y", "//b.example/z", "https://b.example/z"),
      ("https://a.example/x/y", "https://user:pw@b.example/z", "https://b.example/z"),
      ("https://a.example/x/y", "/a%2Fb/../c#frag", "https://a.example/a%2Fb/../c"),
    ])
  func resolves(from: String, location: String, expected: String) throws {
    let decision = RedirectDecision.decide(visited: [try url(from)], status: 302, location: location)
    #expect(decision == .follow(try url(expected)))
  }

  @Test(
    "P36: what must not be followed is refused with its reason",
    arguments: [
      ("https://a.example/x", "http://a.example/x", ReasonCode.redirectRefused),
      ("https://a.example/x", "file:///etc/passwd", .redirectRefused),
      ("https://a.example/x", "ftp://a.example/x", .redirectRefused),
      ("https://a.example/x", "javascript:alert(1)", .redirectRefused),
      ("https://a.example/x", "https://a.example/a b", .redirectRefused),
      ("https://a.example/x", "https://a.example/x", .tooManyRedirects),
    ])
  func refuses(from: String, location: String, reason: ReasonCode) throws {
    let decision = RedirectDecision.decide(visited: [try url(from)], status: 302, location: location)
    guard case .refuse(let failure) = decision else {
      Issue.record("\(location) was followed")
      return
    }
    #expect(failure.reason == reason)
    #expect(failure.failureClass == .permanent)
  }

  @Test("P37: ten hops, and no more") func hops() throws {
    let visited = try (0..<11).map { try url("http://a.example/\($0)") }
    #expect(
      RedirectDecision.decide(visited: Array(visited.prefix(10)), status: 302, location: "/next")
        == .follow(try url("http://a.example/next")))
    guard case .refuse(let failure) = RedirectDecision.decide(visited: visited, status: 302, location: "/next") else {
      Issue.record("the eleventh hop was followed")
      return
    }
    #expect(failure.reason == .tooManyRedirects)
  }

  @Test("https may fall to http where that origin is allowed") func allowedPlain() throws {
    let plain = try url("http://a.example/x")
    #expect(
      RedirectDecision.decide(
        visited: [try url("https://a.example/x")], status: 307, location: "http://a.example/x",
        allowedPlain: [plain.origin]) == .follow(plain))
  }
}
