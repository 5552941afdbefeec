// How references are read: conformance groups A (gs) and B (http). Rows about an instance's own bucket belong to the
// library's tests.

import Testing
import TransferModel

private typealias Violation = StorageAddress.Violation

/// One accepted spelling. `object` is what is left after Firebase's normalisation, `raw` what the parser itself gives.
private struct Accepted: Sendable, CustomTestStringConvertible {
  let id: String
  let input: String
  let bucket: String
  let object: String?
  let raw: String?

  init(_ id: String, _ input: String, _ object: String?, bucket: String = "bucket", raw: String? = nil) {
    self.id = id
    self.input = input
    self.bucket = bucket
    self.object = object
    self.raw = raw ?? object
  }

  var testDescription: String { "\(id) \(input)" }
}

private let firebase = "https://firebasestorage.googleapis.com"

private let gsForms: [Accepted] = [
  Accepted("A01", "gs://bucket", nil),
  Accepted("A02", "gs://bucket/", nil),
  Accepted("A03", "gs://bucket//", nil, raw: "/"),
  Accepted("A04", "gs://bucket/images/stars.jpg", "images/stars.jpg"),
  Accepted("A05", "gs://bucket//a///b//", "a/b", raw: "/a///b//"),
  Accepted("A06", "gs:///foo", nil, bucket: "foo"),
  Accepted("A07", "gs:///foo/bar", "bar", bucket: "foo"),
  Accepted("A11", "gs://bucket/a%20b", "a%20b"),
  Accepted("A12", "gs://bucket/?/%/#", "?/%/#"),
  Accepted("A13", "gs://bucket/a b", "a b"),
  Accepted("A14", "gs://bucket?x", nil, bucket: "bucket?x"),
  Accepted("A15", "gs://user@b:80/x", "x", bucket: "user@b:80"),
  Accepted("A16", "gs://bucket/ちかてつ🚇", "ちかてつ🚇"),
  Accepted("A17", "gs://bucket/e\u{301}", "e\u{301}"),
  Accepted("A18", "GS://bucket/x", "x"),
  Accepted("A19", "gs://bucket/../x", "../x"),
  Accepted("A20", "gs://bucket/a\r\nb", "a\r\nb"),
  Accepted("P82", "gs://bucket/100%.txt", "100%.txt"),
  Accepted("P82", "gs://bucket/a+b.txt", "a+b.txt"),
  Accepted("combining mark behind a slash", "gs://bucket/a/\u{301}b", "a/\u{301}b"),
]

private let links: [Accepted] = [
  Accepted("B01", firebase + "/v0/b/bucket/o/images%2Fstars.jpg", "images/stars.jpg"),
  Accepted("B02", firebase + "/v0/b/bucket/o/images/stars.jpg", "images/stars.jpg"),
  Accepted("B03", firebase + "/b/bucket/o/images%20stars.jpg", "images stars.jpg"),
  Accepted("B04", firebase + "/v0/b/bucket/o/a?alt=media&token=abc#frag", "a"),
  Accepted("B05", firebase + "/v0/b/bucket", nil),
  Accepted("B05", firebase + "/v0/b/bucket/", nil),
  Accepted("B05", firebase + "/v0/b/bucket/o", nil),
  Accepted("B05", firebase + "/v0/b/bucket/o/", nil),
  Accepted("B09", firebase + "/v1/b/bucket/o/obj", "obj"),
  Accepted("B10", firebase + ":443/v0/b/bucket/o/a", "a"),
  Accepted("B11", "http://localhost:9199/v0/b/bucket/o/a%2Fb", "a/b"),
  Accepted("B12", "https://example.org/v0/b/bucket/o/a", "a"),
  Accepted("B13", firebase + "/v0/b/bucket/o/a+b", "a+b"),
  Accepted("B14", firebase + "/v0/b/bucket/o/%E3%81%A1%F0%9F%9A%87", "ち🚇"),
  Accepted("B15", firebase + "/v0/b/bucket/o/a%2F%2Fb%2F", "a/b", raw: "a//b/"),
  Accepted("B16", firebase + "/v0/b/bucket/o/a%252Fb", "a%2Fb"),
  Accepted("B19", firebase + "/v0/b/bucket/o/../x", "../x"),
  Accepted("B20", "https://storage.googleapis.com/bucket/a/b.txt", "a/b.txt"),
  Accepted("B21", "https://storage.cloud.google.com/bucket/a%20b", "a b"),
  Accepted("B22", "https://bucket.storage.googleapis.com/a/b", "a/b"),
  Accepted("B23", "https://storage.googleapis.com/storage/v1/b/bucket/o/a%2Fb", "a/b"),
  Accepted(
    "B24", "https://storage.googleapis.com/download/storage/v1/b/bucket/o/a%2Fb?generation=5&alt=media", "a/b"),
  Accepted("B25", "HTTPS://FirebaseStorage.GoogleAPIs.com/v0/b/bucket/o/a", "a"),
  Accepted("B28", firebase + "/v0/b/bu%63ket/o/a", "a"),
  Accepted("U4", "https://www.googleapis.com/storage/v1/b/bucket/o/a", "a"),
  Accepted("U4", "http://127.0.0.1:4443/storage/v1/b/bucket/o/a%2Fb", "a/b"),
  Accepted("U5", "https://storage.googleapis.com/bucket//a%2F/b", "a/b", raw: "/a//b"),
  Accepted("U5", "https://storage.googleapis.com/bucket", nil),
  Accepted("U5", "https://storage.googleapis.com/b/bucket/o/a", "a"),
  Accepted("U5", "https://storage.googleapis.com/v0/b/a", "b/a", bucket: "v0"),
  Accepted("U6", "https://my.bucket.storage.googleapis.com/a%2Fb", "a/b", bucket: "my.bucket"),
  Accepted("P82", firebase + "/v0/b/bucket/o/a%20b.txt", "a b.txt"),
  Accepted("P82", firebase + "/v0/b/bucket/o/100%25.txt", "100%.txt"),
  Accepted("P82", firebase + "/v0/b/bucket/o/%C3%BC.txt", "ü.txt"),
  Accepted("P83", firebase + "/v0/b/bucket/o/dir/file?alt=media", "dir/file"),
]

@Suite("Reading references")
struct StorageAddressTests {
  @Test("is accepted with bucket and object as they are", arguments: gsForms + links)
  private func accepted(row: Accepted) throws {
    let address = try StorageAddress(parsing: row.input)
    #expect(address.bucket == row.bucket)
    #expect(address.object == row.raw.map { ObjectName($0) })
    #expect(address.normalized().object == row.object.map { ObjectName($0) })
  }

  @Test(
    "is refused",
    arguments: [
      ("A08", "gs://", Violation.Kind.malformed, "gs://<bucket>/<path/to/object>"),
      ("A09", "gs:///", .malformed, "gs://<bucket>/<path/to/object>"),
      ("A10", "gs:////", .malformed, "gs://<bucket>/<path/to/object>"),
      ("A21", "ftp://bucket/x", .scheme, "gs://, http://, or https://"),
      ("A22", "bucket/x", .scheme, "gs://, http://, or https://"),
      ("A22", "", .scheme, "gs://, http://, or https://"),
      ("B06", firebase + "/v0/b/bucket/x/obj", .form, "/v0/b/<bucket>/o/<path/to/object>"),
      ("B07", firebase + "/v0/b", .form, "/v0/b/<bucket>/o/<path/to/object>"),
      ("B08", firebase + "/v0/x/bucket/o/obj", .form, "/v0/b/<bucket>/o/<path/to/object>"),
      ("B17", firebase + "/v0/b/bucket/o/%FF", .malformed, "percent escape"),
      ("B18", firebase + "/v0/b/bucket/o/%", .malformed, "percent escape"),
      ("B18", firebase + "/v0/b/bucket/o/%4", .malformed, "percent escape"),
      ("B18", firebase + "/v0/b/bucket/o/%zz", .malformed, "percent escape"),
      ("bad escape in a bucket", firebase + "/v0/b/bu%ket/o/a", .malformed, "percent escape"),
      ("raw blank", firebase + "/v0/b/bucket/o/a b", .malformed, "%20"),
      ("no bucket", "https://storage.googleapis.com/", .malformed, "bucket"),
      ("ordinary link", "https://example.org/b/bucket", .form, "/v0/b/<bucket>/o/<path/to/object>"),
      ("ordinary link", "https://example.org/files/x.tgz", .form, "/v0/b/<bucket>/o/<path/to/object>"),
      ("no host", "https:///v0/b/bucket/o/a", .malformed, "host"),
    ])
  private func refused(id: String, input: String, kind: Violation.Kind, mentions: String) {
    let violation = #expect(throws: Violation.self) { try StorageAddress(parsing: input) }
    #expect(violation?.kind == kind)
    #expect(violation?.message.contains(mentions) == true, "\(violation?.message ?? "")")
  }

  @Test("P70 A17: NFC and NFD spellings are two objects")
  func unicodeForms() throws {
    let composed = try StorageAddress(parsing: "gs://bucket/\u{E9}")
    let decomposed = try StorageAddress(parsing: "gs://bucket/e\u{301}")
    #expect(composed != decomposed)
    #expect(Array((decomposed.object?.text ?? "").utf8) == [0x65, 0xCC, 0x81])
  }

  @Test(
    "U7: the endpoint is kept when the host is not Google's",
    arguments: [
      ("gs://bucket/a", nil as String?),
      (firebase + "/v0/b/bucket/o/a", nil),
      ("http://firebasestorage.googleapis.com/v0/b/bucket/o/a", nil),
      ("https://bucket.storage.googleapis.com/a", nil),
      ("http://127.0.0.1:9199/v0/b/bucket/o/a", "http://127.0.0.1:9199"),
      ("https://Example.org/v0/b/bucket/o/a", "https://example.org"),
      ("https://storage.googleapis.com:8443/storage/v1/b/bucket/o/a", "https://storage.googleapis.com:8443"),
    ])
  func endpoint(input: String, origin: String?) throws {
    #expect(try StorageAddress(parsing: input).endpoint?.description == origin)
  }
}
