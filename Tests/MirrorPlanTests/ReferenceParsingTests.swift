// Which spelling is an object and which is a plain URL.

import MirrorPlan
import Testing
import TransferModel

@Suite struct ReferenceParsingTests {
  static let firebase = StorageSettings(bucket: "b", api: .firebase)
  static let gcs = StorageSettings(bucket: "b", api: .gcs)

  func object(_ text: String, _ storage: StorageSettings = firebase) throws -> String? {
    guard case .storage(let address) = try Reference(parsing: text, storage: storage) else { return nil }
    return "\(address.bucket) \(address.object?.text ?? "∅")"
  }

  @Test(
    "P82: each spelling names its object: links are decoded once, the rest is literal",
    arguments: [
      ("a b.txt", "b a b.txt"), ("a%20b.txt", "b a%20b.txt"), ("100%.txt", "b 100%.txt"), ("a+b.txt", "b a+b.txt"),
      ("gs://c/a b.txt", "c a b.txt"), ("gs://c/a%20b.txt", "c a%20b.txt"), ("GS://c/ü.txt", "c ü.txt"),
      ("https://firebasestorage.googleapis.com/v0/b/c/o/a%20b.txt", "c a b.txt"),
      ("https://firebasestorage.googleapis.com/v0/b/c/o/a+b.txt", "c a+b.txt"),
      ("https://firebasestorage.googleapis.com/v0/b/c/o/100%25.txt", "c 100%.txt"),
      ("https://firebasestorage.googleapis.com/v0/b/c/o/%C3%BC.txt?alt=media", "c ü.txt"),
      ("https://firebasestorage.googleapis.com/b/bucket/o/images%20stars.jpg", "bucket images stars.jpg"),
      ("https://storage.googleapis.com/c/a%2Fb", "c a/b"), ("https://storage.cloud.google.com/c/a%20b", "c a b"),
      ("https://c.storage.googleapis.com/a/b", "c a/b"),
      ("https://www.googleapis.com/storage/v1/b/c/o/a%2Fb", "c a/b"),
      ("https://storage.googleapis.com/download/storage/v1/b/c/o/a%2Fb?generation=5&alt=media", "c a/b"),
    ])
  func objects(text: String, expected: String) throws {
    #expect(try object(text) == expected)
  }

  @Test(
    "links that are fetched as they are written",
    arguments: [
      "https://example.com/v0/b/c/o/a", "https://example.com/x.tgz", "http://example.com:8080/x?y=z",
      "https://firebasestorage.googleapis.com/v0/b/c/o/a?alt=media&token=abc",
      "https://storage.googleapis.com/c/a?X-Goog-Signature=abc&X-Goog-Expires=60",
      "https://storage.googleapis.com/c/a?GoogleAccessId=x&Signature=abc", "https://www.googleapis.com/drive/v3/x",
      "http://127.0.0.1:8080/files/x", "https://storage.googleapis.com:8443/c/a",
    ])
  func plainURLs(text: String) throws {
    #expect(try object(text) == nil)
  }

  @Test("3.6: Firebase's names are normalised, Google's never")
  func normalisation() throws {
    #expect(try object("gs://c//a///b//") == "c a/b")
    #expect(try object("/a//b") == "b a/b")
    #expect(try object("gs://c//a///b//", Self.gcs) != "c a/b")
    #expect(try object("a//b", Self.gcs) == "b a//b")
    #expect(try object("https://storage.googleapis.com/c/a%2F%2Fb", Self.gcs) == "c a//b")
  }

  @Test("the emulator's links, and those of other servers on this machine, keep their server")
  func emulators() throws {
    let emulator = Origin(scheme: .http, host: "emulator", port: 9199)
    let storage = StorageSettings(bucket: nil, api: .firebase, emulator: emulator)
    let configured = try Reference(parsing: "http://emulator:9199/v0/b/c/o/a%2Fb", storage: storage)
    #expect(configured == .storage(StorageAddress(bucket: "c", object: ObjectName("a/b"))))
    let local = try Reference(parsing: "http://localhost:9199/v0/b/c/o/a%2Fb", storage: storage)
    let endpoint = Origin(scheme: .http, host: "localhost", port: 9199)
    #expect(local == .storage(StorageAddress(bucket: "c", object: ObjectName("a/b"), endpoint: endpoint)))
  }

  @Test(
    "what is no reference",
    arguments: [
      ("", "empty"), ("htps://x/y", "https://"), ("s3://x/y", "not fetched"), ("gs:/b/x", "one `/`"),
      ("gs://", "gs://"),
      ("https:/x", "one `/`"), ("https://", "host"), ("https://a b/c", "blank"),
      ("https://firebasestorage.googleapis.com/v0/b/c/x/obj", "no link"),
      ("https://firebasestorage.googleapis.com/v0/b/c/o/%FF", "escape"),
      ("https://firebasestorage.googleapis.com/v0/b/c/o/%zz", "escape"), ("a\u{0}b", "NUL"),
    ])
  func refused(text: String, word: String) {
    do {
      let reference = try Reference(parsing: text, storage: Self.firebase)
      Issue.record("taken as \(reference)")
    } catch {
      #expect((error.message + (error.hint ?? "")).contains(word), "\(error.message)")
    }
  }

  @Test func `a bare path without a default bucket says what is missing`() {
    do {
      let reference = try Reference(parsing: "a/b", storage: StorageSettings())
      Issue.record("taken as \(reference)")
    } catch {
      #expect(error.message == "a bare path needs a default bucket")
      #expect(error.isLackOfBucket)
    }
  }

  @Test(
    "the last name, decoded",
    arguments: [
      ("gs://c/a/b c", "b c"), ("gs://c/a%20b", "a%20b"), ("https://e.com/a/b%20c?x=/y", "b c"),
      ("https://e.com/", nil),
      ("https://e.com/%zz", nil), ("gs://c", nil),
    ] as [(String, String?)])
  func lastNames(text: String, expected: String?) throws {
    #expect(try Reference(parsing: text, storage: Self.firebase).lastName == expected)
  }
}
