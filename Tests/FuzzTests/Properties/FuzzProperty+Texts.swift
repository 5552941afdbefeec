// Small texts: what servers put into header fields, and what people write as addresses, sizes and patterns.

import MirrorPlan
import TransferModel

extension FuzzProperty {
  static let texts: [FuzzProperty] = [
    contentRange, retryAfter, location, reference, relativePath, glob, units, redaction,
  ]

  /// Content-Range is read or refused, and never makes an impossible range.
  private static let contentRange = FuzzProperty(
    "content-range",
    texts: ["bytes 0-499/1234", "bytes 500-999/*", "bytes */1234", "bytes 0-0/1", "items 0-1/2"]
  ) { text in
    guard case .bytes(let first, let last, let total)? = ContentRange(parsing: text) else { return }
    try demand(first >= 0 && first <= last && total.map { last < $0 } ?? true, "impossible: \(first)-\(last)")
  }

  /// Retry-After is a wait that is not negative, or none.
  private static let retryAfter = FuzzProperty(
    "retry-after",
    texts: [
      "0", "120", "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
      "Fri, 31 Dec 9999 23:59:59 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "99999999999999999999",
    ]
  ) { text in
    let now = Timestamp(seconds: 1_767_225_600)
    var fields = HTTPFields([HTTPFields.Field("Retry-After", text)])
    try demand(RetryAfter.wait(from: fields, now: now).map { $0 >= .zero } ?? true, "a negative wait")
    fields.append("Date", text)
    try demand(RetryAfter.wait(from: fields, now: now).map { $0 >= .zero } ?? true, "a negative wait")
    _ = Timestamp(httpDate: text, now: now)
    _ = Timestamp(rfc3339: text)?.rfc3339()
  }

  /// A Location is followed or refused with a sentence.
  private static let location = FuzzProperty(
    "location",
    texts: [
      "https://b.example/q", "/absolute", "relative/../x", "//host/path", "?query", "", "http://a.example/",
      "file:///etc/passwd",
      "https://user:pw@b.example:99999/%zz", "https://[::1]:80/", "https://b.example/a b#c",
    ]
  ) { text in
    let from = try HTTPURL(parsing: "https://a.example:8443/x/y?z=1")
    switch RedirectDecision.decide(visited: [from], status: 302, location: text) {
    case .follow(let url):
      try demand(url.userInfo == nil && url.origin.scheme == .https, "followed to \(url)")
      try demand(!url.wireText.utf8.contains { $0 <= 0x20 || $0 == 0x7F }, "a URL that splits a request line")
    case .refuse(let failure): try demand(!failure.message.isEmpty, "no message")
    }
  }

  /// A reference is understood or refused with a sentence.
  private static let reference = FuzzProperty(
    "reference",
    texts: [
      "images/stars.jpg", "gs://bucket/a/b%20c",
      "https://firebasestorage.googleapis.com/v0/b/bucket/o/a%2Fb?alt=media&token=x",
      "https://storage.googleapis.com/bucket/a/b", "https://example.com/x?y#z", "gs://", "/", "http://[::1]:80/",
      "gs://b/ü",
    ]
  ) { text in
    var settings = StorageSettings()
    settings.bucket = "b"
    let storage = settings
    do throws(Reference.Violation) {
      _ = try Reference(parsing: text, storage: storage).display
    } catch {
      try demand(!error.message.isEmpty, "no message")
    }
    do throws(StorageAddress.Violation) {
      _ = StoragePath(try StorageAddress(parsing: text))
    } catch {
      try demand(!error.message.isEmpty, "no message")
    }
  }

  /// A destination stays below the root.
  private static let relativePath = FuzzProperty(
    "relative-path",
    texts: [
      "a/b/c.txt", "./x", "a/../../b", "/abs", "a//b", ".mirror/x", "a/.mirror-0123456789abcdef.part", "é/e\u{301}",
    ]
  ) { text in
    guard let path = try? RelativePath(text) else { return }
    let parts = path.text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    try demand(
      parts.allSatisfy {
        !$0.isEmpty && !$0.elementsEqual("..".utf8) && !$0.elementsEqual(".".utf8) && !$0.contains(0)
      },
      "let through")
  }

  /// A glob is compiled or refused, and matches in bounded time.
  private static let glob = FuzzProperty(
    "glob",
    texts: [
      "**/*.tflite", "a/**/b/*", "[a-z]*", "{a,b,{c,d}}/x", "*a*a*a*a*a*a*a*a*a*a*b", "**/**/**/**/x", "\\*",
    ]
  ) { text in
    let name = String(repeating: "a", count: 200) + "/" + String(repeating: "a/", count: 50) + "c"
    guard let glob = try? Glob(text) else { return }
    _ = glob.matches(name)
  }

  /// Numbers with units and digests are read or refused.
  private static let units = FuzzProperty(
    "units",
    texts: [
      "1MiB", "1.5GiB", "10s", "7d", "0644", "sha256:9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08",
      "crc32c=n03x6A==,md5=XrY7u+Ae7tCTyyK7j1rNww==", "n03x6A==", "99999999999999999999TiB",
    ]
  ) { text in
    try demand(ByteCount(parsing: text).map { $0.bytes >= 0 } ?? true, "a negative size")
    try demand(Duration(parsing: text).map { $0 >= .zero } ?? true, "a negative duration")
    _ = try? GoogHash.read([text])
    _ = GoogHash.digest(.crc32c, text)
  }

  /// A secret that is known never comes through, nor the value of a field that is secret by its name.
  private static let redaction = FuzzProperty(
    "redaction",
    texts: [
      "Set-Cookie: session=abcdef; Path=/", "Authorization: Bearer abc.def.ghi", "x hunter2-and-more y",
      "https://a/?token=abc&X-Goog-Signature=00ff", "{\"access_token\": \"ya29.x\"}",
    ]
  ) { text in
    let secret = "hunter2-and-more"
    let redactor = Redactor(secrets: [secret])
    for whole in [
      text, text + secret, secret + text, "Set-Cookie: " + text, text + "\nLocation: https://a/?token=" + secret,
    ] {
      let shown = redactor.redact(whole)
      try demand(!shown.contains(secret), "a secret came through")
      try demand(redactor.redact(Array(whole.utf8), limit: 64).utf8.count <= 64 + 3, "more than was asked for")
    }
  }
}
