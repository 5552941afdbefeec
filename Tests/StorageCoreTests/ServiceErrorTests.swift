// What servers say when they refuse.

import StorageCore
import Testing
import TransferModel

private func error(_ status: Int, _ body: String) -> ServiceError {
  ServiceError(status: status, body: Array(body.utf8))
}

@Suite("Error bodies")
struct ServiceErrorTests {
  @Test(
    "G11–G13 G25 U03: every kind of body gives its words",
    arguments: [
      (#"{"error":{"code":404,"message":"Not Found."}}"#, nil as String?, "Not Found." as String?),
      (
        #"{"error":{"code":404,"message":"No such object: b/o","errors":[{"domain":"global","reason":"notFound","message":"x"}]}}"#,
        "notFound", "No such object: b/o"
      ),
      (#"{"error":{"code":403,"message":"no","status":"PERMISSION_DENIED"}}"#, "PERMISSION_DENIED", "no"),
      (#"{"error":"invalid_grant","error_description":"Bad Request"}"#, "invalid_grant", "Bad Request"),
      (#"{"message":"odd"}"#, nil, "odd"), (#"{"error":{}}"#, nil, nil), ("Not Found", nil, "Not Found"),
      ("", nil, nil), (" \r\n", nil, nil),
      (
        "<?xml version='1.0'?><Error><Code>NoSuchKey</Code><Message>The key &lt;a&amp;b&gt; is not there.</Message></Error>",
        "NoSuchKey", "The key <a&b> is not there."
      ),
      (
        "<Error><Code>ExpiredToken</Code><Message>Old.</Message><Details>1 h</Details></Error>", "ExpiredToken",
        "Old. 1 h"
      ),
      ("<HTML><head><TITLE>502 Bad\n Gateway</TITLE></head><body>x</body></HTML>", nil, "502 Bad Gateway"),
      ("<html><body><h1 class=\"x\">Blocked</h1></body></html>", nil, "Blocked"),
      ("<p>Just <b>text</b></p>", nil, "Just text"),
      ("[1]", nil, "[1]"), ("\"text\"", nil, "\"text\""), ("a\u{1B}[31mred\tb", nil, "a [31mred b"),
    ])
  func words(body: String, reason: String?, message: String?) {
    let error = error(400, body)
    #expect(error.reason == reason)
    #expect(error.message == message)
    #expect((error.body == nil) == body.isEmpty)
  }

  @Test(
    "I05: a 403 with a rate limit's reason is no refusal",
    arguments: [
      (403, "rateLimitExceeded", true), (403, "userRateLimitExceeded", true), (403, "forbidden", false),
      (403, "quotaExceeded", false),
      (400, "rateLimitExceeded", false),
    ])
  func rateLimit(status: Int, reason: String, expected: Bool) {
    #expect(error(status, #"{"error":{"errors":[{"reason":"\#(reason)"}]}}"#).isRateLimit == expected)
  }

  @Test("P43: secrets in a body are printed nowhere")
  func redacted() {
    let echo =
      #"{"error":{"message":"bad url https://h/o?alt=media&token=s3cret","errors":[{"reason":"Bearer s3cret-s3cret-s3cret"}]}}"#
    let printed = "\(error(400, echo))"
    #expect(!printed.contains("s3cret"))
    let known = ServiceError(
      status: 400, body: Array("your password is hunter22".utf8), redactor: Redactor(secrets: ["hunter22"]))
    #expect(known.message == "your password is REDACTED")
  }

  @Test("bodies of any size and any bytes are bounded")
  func bounded() {
    let large = error(500, String(repeating: "x", count: 1_000_000))
    #expect(large.body?.utf8.count == 2_048)
    #expect(large.message?.utf8.count == 500)
    let binary = ServiceError(status: 500, body: [0xFF, 0xFE, 0x00, 0x3C, 0x3C, 0x3C])
    #expect(binary.body != nil)
    for round in 0..<200 {
      let bytes = (0..<64).map { UInt8(0x20 + (round * 37 + $0 * $0 * 11) % 0x60) } + Array("<Code><title".utf8)
      #expect(ServiceError(status: 500, body: bytes).status == 500)
    }
  }
}
