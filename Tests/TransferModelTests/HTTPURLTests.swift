// URLs are sent as they were written, or refused.

import Testing
import TransferModel

@Suite("URLs")
struct HTTPURLTests {
  @Test(
    "is sent byte by byte as written",
    arguments: [
      "https://example.org/a/../b//c/./%2e%2E?x=%41+b#", "http://h:8080/?", "https://h/a?b?c&&d", "https://u:p%40@h/",
      "https://[::1]:9199/v0", "https://h/ちか?é", "https://h/a@b:c", "https://h/~!$'()*,;=:@",
    ])
  func verbatim(text: String) throws {
    let url = try HTTPURL(parsing: text)
    let withoutFragment = text.hasSuffix("#") ? String(text.dropLast()) : text
    #expect(Array(url.wireText.utf8) == Array(withoutFragment.utf8))
  }

  @Test(
    "parts",
    arguments: [
      ("HTTPS://Example.ORG:443", "https://example.org", "/", nil as String?),
      ("http://example.org:", "http://example.org", "/", nil),
      ("http://example.org?x=1", "http://example.org", "/", "x=1"),
      ("https://example.org:80/a?", "https://example.org:80", "/a", ""),
      ("http://[2001:DB8::1]/a", "http://[2001:db8::1]", "/a", nil),
      ("https://h/a#b?c", "https://h", "/a", nil),
    ])
  func parts(text: String, origin: String, path: String, query: String?) throws {
    let url = try HTTPURL(parsing: text)
    #expect(url.origin.description == origin)
    #expect(url.path == path)
    #expect(url.query == query)
  }

  @Test(
    "is refused",
    arguments: [
      ("", HTTPURL.Violation.noScheme), ("example.org/a", .noScheme), ("//example.org", .noScheme),
      ("file:/etc", .noScheme),
      ("ftp://h/a", .unsupportedScheme), ("file:///etc/passwd", .unsupportedScheme), ("https://", .emptyHost),
      ("https:///a", .emptyHost),
      ("https://:80/", .emptyHost), ("https://u@/", .emptyHost), ("https://[]/", .emptyHost),
      ("https://h:0/", .badPort),
      ("https://h:65536/", .badPort), ("https://h:+80/", .badPort), ("https://h:8o/", .badPort),
      ("https://h/a b", .badCharacter),
      ("https://h/\r\nX: y", .badCharacter), ("https://h/\u{7F}", .badCharacter), ("https://h%41/", .badHost),
      ("https://[::1/", .badHost),
      ("https://[::1]x/", .badHost), ("https://good.example\\@evil.example/", .badUserInfo),
      ("https://a@b@c/", .badUserInfo),
      ("https://good.example\\.evil.example/", .badHost),
    ])
  func refused(text: String, violation: HTTPURL.Violation) {
    #expect(throws: violation) { try HTTPURL(parsing: text) }
  }

  @Test("two spellings are two URLs")
  func byteEquality() throws {
    #expect(try HTTPURL(parsing: "https://h/\u{E9}") != HTTPURL(parsing: "https://h/e\u{301}"))
    #expect(try HTTPURL(parsing: "https://H/a") == HTTPURL(parsing: "https://h:443/a"))
  }

  @Test(
    "only this machine is loopback",
    arguments: [
      ("localhost", true), ("LOCALHOST", true), ("127.0.0.1", true), ("127.255.0.9", true), ("[::1]", true),
      ("127.example.org", false),
      ("127.0.0.1.example.org", false), ("127.0.0.256", false), ("localhost.example.org", false), ("10.0.0.1", false),
      ("127.1", false),
    ])
  func loopback(host: String, expected: Bool) {
    #expect(Origin(scheme: .http, host: host).isLoopback == expected)
  }
}
