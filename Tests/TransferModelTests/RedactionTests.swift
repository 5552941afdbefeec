// No secret is printed: case P43 and conformance rows S28, L10, W16.

import Testing
import TransferModel

@Suite("Printing URLs")
struct RedactedURLTests {
  @Test(
    "P43 W16 L10: secrets go, what names the object stays",
    arguments: [
      ("https://h/v0/b/B/o/a%2Fb?alt=media&token=s3cret", "https://h/v0/b/B/o/a%2Fb?alt=media&token=REDACTED"),
      (
        "https://h/B/o?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Signature=s3cret&X-Goog-Date=20240102T030405Z&X-Goog-Credential=s3cret",
        "https://h/B/o?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Signature=REDACTED&X-Goog-Date=20240102T030405Z&X-Goog-Credential=REDACTED"
      ),
      (
        "https://h/B/o?GoogleAccessId=s3cret&Expires=1&Signature=s3cret%2B%3D",
        "https://h/B/o?GoogleAccessId=REDACTED&Expires=REDACTED&Signature=REDACTED"
      ),
      ("https://h/a?access_token=s3cret", "https://h/a?access_token=REDACTED"),
      ("https://user:s3cret@h:8443/a", "https://REDACTED@h:8443/a"), ("https://s3cret@h/a", "https://REDACTED@h/a"),
      ("https://h/a?s3cret", "https://h/a?REDACTED"),
      ("https://h/a?unknown=s3cret&&x=", "https://h/a?unknown=REDACTED&&x=REDACTED"),
      ("https://h/a?alt=media;token=s3cret", "https://h/a?alt=REDACTED"),
      ("https://h/a?alt=media?token=s3cret", "https://h/a?alt=REDACTED"),
      ("https://h/a?x;token=s3cret", "https://h/a?REDACTED=REDACTED"),
      ("https://h/a?ALT=s3cret", "https://h/a?ALT=REDACTED"),
      ("https://h/a?%74oken=s3cret", "https://h/a?%74oken=REDACTED"),
      ("https://h/o?prefix=a%2F&pageToken=Cg==", "https://h/o?prefix=a%2F&pageToken=REDACTED"),
      (
        "https://h/o?prefix=a%2F&pageToken=Cg%3D&maxResults=10", "https://h/o?prefix=a%2F&pageToken=Cg%3D&maxResults=10"
      ),
      ("http://h/a#s3cret", "http://h/a"),
    ])
  func urls(input: String, printed: String) throws {
    let url = try HTTPURL(parsing: input)
    #expect(RedactedURL(url).text == printed)
    #expect("\(url)" == printed)
    #expect(String(reflecting: url) == printed)
    #expect(!RedactedURL(url).text.contains("s3cret"))
  }
}

@Suite("Printing texts")
struct RedactorTests {
  private let secret = "p4ss/w+rd é\"7"

  @Test("a known secret goes in every spelling")
  func knownSpellings() {
    let redactor = Redactor(secrets: [secret])
    var json = JSONWriter()
    json.string(secret)
    let basic = Base64.encode("someone:\(secret)".utf8)
    for spelling in [
      secret, PercentEncoding.encode(secret), PercentEncoding.encode(secret, as: .firebase),
      "p4ss%2fw%2brd%20%c3%a9%227", String(decoding: json.bytes, as: UTF8.self), Base64.encode(secret.utf8),
    ] {
      let text = redactor.redact("before <\(spelling)> after")
      #expect(text.hasPrefix("before <") && text.hasSuffix("> after"))
      #expect(text.contains("REDACTED"))
      #expect(!text.contains(spelling))
    }
    #expect(!redactor.redact("x \(basic) y").contains(basic))
  }

  @Test("a known secret goes wherever it lies in a base64 text", arguments: 0..<6)
  func insideBase64(prefixLength: Int) {
    let redactor = Redactor(secrets: ["correct horse battery"])
    let prefix = String(repeating: "x", count: prefixLength)
    let text = redactor.redact(Base64.encode("\(prefix)correct horse battery staple".utf8))
    #expect(text.contains("REDACTED"))
  }

  @Test("every line of a private key goes, and blanks around a secret do not hide it")
  func lines() {
    let redactor = Redactor(secrets: ["MIIEvQIBADAN\nBgkqhkiG9w0B\n", "  trimmed-secret \n"])
    #expect(redactor.redact("a BgkqhkiG9w0B b") == "a REDACTED b")
    #expect(redactor.redact("a trimmed-secret b") == "a REDACTED b")
  }

  @Test("the longer of two secrets with one beginning goes whole; short and empty ones are left")
  func overlaps() {
    #expect(Redactor(secrets: ["abcd", "abcdefgh"]).redact("abcdefgh-abcd") == "REDACTED-REDACTED")
    #expect(Redactor(secrets: ["", "a", " \n"]).redact("a cat") == "a cat")
  }

  @Test(
    "P43 S28: what looks like a secret goes without being known",
    arguments: [
      ("GET /a?alt=media&token=abc HTTP/1.1", "GET /a?alt=media&token=REDACTED HTTP/1.1"),
      ("Authorization: Bearer abc def\nHost: h", "Authorization: REDACTED\nHost: h"),
      ("authorization=xyz; next", "authorization=REDACTED; next"),
      ("{\"Authorization\": \"Firebase abc\", \"a\": 1}", "{\"Authorization\": \"REDACTED\", \"a\": 1}"),
      ("{\"access_token\":\"a\\\"b\",\"expires_in\":3599}", "{\"access_token\":\"REDACTED\",\"expires_in\":3599}"),
      ("{'refreshToken': 'abc'}", "{'refreshToken': 'REDACTED'}"),
      ("X-Goog-Signature=00ff00&x=1", "X-Goog-Signature=REDACTED&x=1"),
      ("<Signature>=abc", "<Signature>=abc"), ("sent with Bearer abcdefgh1 to h", "sent with Bearer REDACTED to h"),
      ("jwt eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0. end", "jwt REDACTED end"), ("ya29.a0AfH6SMBxxxxxxxxxxxx", "REDACTED"),
      ("?key=AIzaSyA1234567890abcdefghij", "?key=REDACTED"), ("AIzaSyA1234567890abcdefghijk", "REDACTED"),
      ("https://me:pw@h/a and http://h/b", "https://REDACTED@h/a and http://h/b"),
      ("Set-Cookie: a=b; c=d", "Set-Cookie: REDACTED"),
      ("id_token: abcdefghijklmnopqrstuvwxyz", "id_token: REDACTED"), ("password=p,user=u", "password=REDACTED,user=u"),
    ])
  func patterns(text: String, printed: String) {
    #expect(Redactor().redact(text) == printed)
    #expect(Redactor().redact(printed) == printed)
  }

  @Test(
    "plain talk stays as it is",
    arguments: [
      "User is not authenticated, please authenticate using Firebase Auth and try again.", "Invalid token: expired",
      "No such object: b/o", "pageToken=abc&prefix=a", "{\"token_type\":\"Bearer\"}", "key=value", "the basic idea",
      "sha256:abc",
      "Permission denied.", "", "\u{E9} ちか", "https://h/a@b", "token", "token=", "\"token\":\"\"",
    ])
  func harmless(text: String) {
    #expect(Redactor().redact(text) == text)
  }

  @Test("bytes are cut to the limit, at a character, after the secrets are out")
  func bounded() {
    let redactor = Redactor(secrets: ["s3cret-value"])
    #expect(redactor.redact(Array("abc s3cret-value".utf8), limit: 8) == "abc REDA")
    #expect(redactor.redact(Array("aé".utf8), limit: 2) == "a")
    #expect(redactor.redact([0x61, 0xFF, 0x62], limit: 100) == "a\u{FFFD}b")
    #expect(redactor.redact([UInt8](repeating: 0x61, count: 100_000), limit: 2_048).utf8.count == 2_048)
  }
}
