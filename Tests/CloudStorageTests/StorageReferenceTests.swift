// The path algebra and the parsing of URLs as the public API shows them. Conformance groups A to C.

import CloudStorage
import Foundation
import Testing
import TransferModel

private func storage(_ bucket: String = testBucket, app: StorageApp? = nil) throws -> Storage {
  try Storage.storage(app: app ?? StorageApp(name: "test", options: StorageOptions(bucket: bucket)))
}

@Suite("References")
struct StorageReferenceTests {
  @Test("C01 C02: the root has no name and no parent")
  func root() throws {
    let root = try storage().reference()
    #expect(root.fullPath.isEmpty && root.name.isEmpty && root.parent() == nil)
    #expect(root.description == "gs://bucket/")
    #expect(root.bucket == "bucket")
  }

  @Test(
    "C03 C04 C07 C08 C13: children",
    arguments: [
      ("", "a", "a"), ("", "/a//b/", "a/b"), ("a/b", "c/d", "a/b/c/d"), ("a", "/b", "a/b"), ("a", "..", "a/.."),
      ("", "a b#c?d", "a b#c?d"),
    ])
  func children(path: String, child: String, expected: String) throws {
    let reference = try storage().reference(withPath: path).child(child)
    #expect(reference.fullPath == expected)
    #expect(reference.description == "gs://bucket/\(expected)")
  }

  @Test("C05 C06: an empty child is the reference itself, and slashes alone are the root")
  func emptyChildren() throws {
    let root = try storage().reference()
    #expect(root.child("a").child("") == root.child("a"))
    #expect(root.child("//////////") == root)
  }

  @Test("C09 C10 C11 C12: parents and roots")
  func parents() throws {
    let root = try storage().reference()
    #expect(root.child("a/b").parent() == root.child("a"))
    #expect(root.child("a").parent() == root)
    #expect(root.child("a").parent()?.fullPath == "")
    #expect(root.child("a").parent()?.parent() == nil)
    #expect(root.child("a/b/c").root() == root)
  }

  @Test("C14 C15 C16: equality, hash and segments go by bytes")
  func bytes() throws {
    let root = try storage().reference()
    #expect(root.child("a/b") == root.child("a").child("b"))
    #expect(root.child("a/b").hashValue == root.child("a").child("b").hashValue)
    #expect(root.child("\u{e9}") != root.child("e\u{301}"))
    #expect(Set([root.child("\u{e9}"), root.child("e\u{301}")]).count == 2)
    let marked = root.child("a/\u{301}b")
    #expect(marked.name.utf8.elementsEqual("\u{301}b".utf8))
    #expect(marked.parent() == root.child("a"))
  }

  @Test("C17: the same path in another app or bucket is another reference")
  func otherOwners() throws {
    let app = StorageApp(name: "one", options: StorageOptions(bucket: "bucket"))
    let other = StorageApp(name: "two", options: StorageOptions(bucket: "bucket"))
    let reference = try storage(app: app).reference(withPath: "a")
    let same = try storage(app: app).reference(withPath: "a")
    let ofAnotherApp = try storage(app: other).reference(withPath: "a")
    let inAnotherBucket = try Storage.storage(app: app, url: "gs://elsewhere").reference(withPath: "a")
    #expect(reference == same && reference != ofAnotherApp && reference != inAnotherBucket)
  }

  @Test("C18: deep paths go down and up again")
  func deep() throws {
    let root = try storage().reference()
    var reference = root
    for _ in 0..<1_000 { reference = reference.child("x") }
    #expect(reference.fullPath.utf8.count == 1_999)
    for _ in 0..<1_000 { reference = try #require(reference.parent()) }
    #expect(reference == root)
  }

  @Test(
    "A04 A11 B01 B03 B11 B13 B28 D2 D3: URLs of every accepted form",
    arguments: [
      ("gs://bucket/images/stars.jpg", "images/stars.jpg"), ("gs://bucket/a%20b", "a%20b"),
      ("https://firebasestorage.googleapis.com/v0/b/bucket/o/images%2Fstars.jpg?alt=media&token=t", "images/stars.jpg"),
      ("https://firebasestorage.googleapis.com/b/bucket/o/images%20stars.jpg", "images stars.jpg"),
      ("http://localhost:9199/v0/b/bucket/o/a%2Fb", "a/b"),
      ("https://firebasestorage.googleapis.com/v0/b/bucket/o/a+b", "a+b"),
      ("https://firebasestorage.googleapis.com/v0/b/bu%63ket/o/a", "a"),
    ])
  func urls(text: String, expected: String) throws {
    let storage = try storage()
    #expect(try storage.reference(forURL: text).fullPath == expected)
    let url = try #require(URL(string: text))
    #expect(try storage.reference(for: url).fullPath == expected)
  }

  @Test(
    "A08 A09 A10 A21 A22 B06 B07 B18: what names no object is a path error with the SDK's words",
    arguments: [
      ("gs://", "Internal error: URI must be in the form of gs://<bucket>/<path/to/object>"),
      ("gs:////", "Internal error: URI must be in the form of gs://<bucket>/<path/to/object>"),
      ("ftp://bucket/x", "Internal error: URL scheme must be one of gs://, http://, or https://"),
      ("", "Internal error: URL scheme must be one of gs://, http://, or https://"),
      (
        "https://firebasestorage.googleapis.com/v0/b/bucket/x/obj",
        "Internal error: URL must be in the form of http[s]://<host>/v0/b/<bucket>/o/<path/to/object>"
          + "[?token=signed_url_params]"
      ),
      ("https://firebasestorage.googleapis.com/v0/b/bucket/o/%zz", "Internal error: the URL has a broken"),
    ])
  func badURLs(text: String, message: String) throws {
    let error = try storageError { try storage().reference(forURL: text) }
    #expect(error.code == .pathError)
    #expect(error.localizedDescription.hasPrefix(message), "\(error.localizedDescription)")
  }

  @Test("B26: a URL into another bucket does not match")
  func mismatch() throws {
    let error = try storageError { try storage().reference(forURL: "gs://bcket/a") }
    #expect((error as NSError).code == -13_051)
    #expect(
      error
        == .bucketMismatch(
          message: "Provided bucket: `bcket` does not match the Storage bucket of the current instance: `bucket`"))
  }

  @Test("B27: an instance without a bucket accepts any, and keeps it for what comes of it")
  func anyBucket() throws {
    let reference = try storage("").reference(forURL: "gs://bcket/a/b")
    #expect(reference.bucket == "bcket")
    #expect(reference.parent()?.description == "gs://bcket/a")
  }
}
