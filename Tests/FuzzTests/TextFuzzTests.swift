// Small texts: what servers put into header fields, and what people write as addresses, sizes and patterns.

import MirrorPlan
import Testing
import TransferModel

@Suite struct TextFuzzTests {
  @Test func `Content-Range is read or refused, and never makes an impossible range`() throws {
    let texts = ["bytes 0-499/1234", "bytes 500-999/*", "bytes */1234", "bytes 0-0/1", "items 0-1/2"]
    try Fuzzing.run("content-range", texts: texts) { text in
      guard case .bytes(let first, let last, let total)? = ContentRange(parsing: text) else { return }
      try demand(first >= 0 && first <= last && total.map { last < $0 } ?? true, "impossible: \(first)-\(last)")
    }
  }

  @Test func `Retry-After is a wait that is not negative, or none`() throws {
    let texts = [
      "0", "120", "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
      "Fri, 31 Dec 9999 23:59:59 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "99999999999999999999",
    ]
    let now = Timestamp(seconds: 1_767_225_600)
    try Fuzzing.run("retry-after", texts: texts) { text in
      var fields = HTTPFields([HTTPFields.Field("Retry-After", text)])
      try demand(RetryAfter.wait(from: fields, now: now).map { $0 >= .zero } ?? true, "a negative wait")
      fields.append("Date", text)
      try demand(RetryAfter.wait(from: fields, now: now).map { $0 >= .zero } ?? true, "a negative wait")
      _ = Timestamp(httpDate: text, now: now)
      _ = Timestamp(rfc3339: text)?.rfc3339()
    }
  }

  @Test func `a Location is followed or refused with a sentence`() throws {
    let from = try HTTPURL(parsing: "https://a.example:8443/x/y?z=1")
    let texts = [
      "https://b.example/q", "/absolute", "relative/../x", "//host/path", "?query", "", "http://a.example/",
      "file:///etc/passwd",
      "https://user:pw@b.example:99999/%zz", "https://[::1]:80/", "https://b.example/a b#c",
    ]
    try Fuzzing.run("location", texts: texts) { text in
      switch RedirectDecision.decide(visited: [from], status: 302, location: text) {
      case .follow(let url):
        try demand(url.userInfo == nil && url.origin.scheme == .https, "followed to \(url)")
        try demand(!url.wireText.utf8.contains { $0 <= 0x20 || $0 == 0x7F }, "a URL that splits a request line")
      case .refuse(let failure): try demand(!failure.message.isEmpty, "no message")
      }
    }
  }

  @Test func `a reference is understood or refused with a sentence`() throws {
    let texts = [
      "images/stars.jpg", "gs://bucket/a/b%20c",
      "https://firebasestorage.googleapis.com/v0/b/bucket/o/a%2Fb?alt=media&token=x",
      "https://storage.googleapis.com/bucket/a/b", "https://example.com/x?y#z", "gs://", "/", "http://[::1]:80/",
      "gs://b/ü",
    ]
    var settings = StorageSettings()
    settings.bucket = "b"
    let storage = settings
    try Fuzzing.run("reference", texts: texts) { text in
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
  }

  @Test func `a destination stays below the root`() throws {
    let texts = [
      "a/b/c.txt", "./x", "a/../../b", "/abs", "a//b", ".mirror/x", "a/.mirror-0123456789abcdef.part", "é/e\u{301}",
    ]
    try Fuzzing.run("relative-path", texts: texts) { text in
      guard let path = try? RelativePath(text) else { return }
      let parts = path.text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      try demand(
        parts.allSatisfy {
          !$0.isEmpty && !$0.elementsEqual("..".utf8) && !$0.elementsEqual(".".utf8) && !$0.contains(0)
        },
        "let through")
    }
  }

  @Test func `a glob is compiled or refused, and matches in bounded time`() throws {
    let texts = [
      "**/*.tflite", "a/**/b/*", "[a-z]*", "{a,b,{c,d}}/x", "*a*a*a*a*a*a*a*a*a*a*b", "**/**/**/**/x", "\\*",
    ]
    let name = String(repeating: "a", count: 200) + "/" + String(repeating: "a/", count: 50) + "c"
    try Fuzzing.run("glob", texts: texts, count: 1_500) { text in
      guard let glob = try? Glob(text) else { return }
      _ = glob.matches(name)
    }
  }

  @Test func `numbers with units and digests are read or refused`() throws {
    let texts = [
      "1MiB", "1.5GiB", "10s", "7d", "0644", "sha256:9F86D081884C7D659A2FEAA0C55AD015A3BF4F1B2B0B822CD15D6C15B0F00A08",
      "crc32c=n03x6A==,md5=XrY7u+Ae7tCTyyK7j1rNww==", "n03x6A==", "99999999999999999999TiB",
    ]
    try Fuzzing.run("units", texts: texts) { text in
      try demand(ByteCount(parsing: text).map { $0.bytes >= 0 } ?? true, "a negative size")
      try demand(Duration(parsing: text).map { $0 >= .zero } ?? true, "a negative duration")
      _ = try? GoogHash.read([text])
      _ = GoogHash.digest(.crc32c, text)
    }
  }
}
