// The path algebra of references: conformance group C.

import Testing
import TransferModel

private let root = StoragePath(bucket: "bucket")

private func path(_ text: String) -> StoragePath { StoragePath(bucket: "bucket", path: text) }

@Suite("Path algebra")
struct StoragePathTests {
  @Test("C01 C02: the root has no name and no parent")
  func rootItself() {
    #expect(root.fullPath == "")
    #expect(root.name == "")
    #expect(root.parent == nil)
    #expect(root.description == "gs://bucket/")
    #expect(root.root == root)
  }

  @Test(
    "child",
    arguments: [
      ("C03", "", "a", "a"), ("C04", "", "/a//b/", "a/b"), ("C05", "a/b", "", "a/b"), ("C06", "", "//////////", ""),
      ("C07", "a/b", "c/d", "a/b/c/d"), ("C08", "a", "/b", "a/b"), ("C13", "a", "..", "a/.."),
      ("dots are names", "a/../b", ".", "a/../b/."),
      ("blanks and URL characters are literal", "a b#c", "d?e%", "a b#c/d?e%"),
    ])
  func child(id: String, start: String, argument: String, result: String) {
    let child = path(start).child(argument)
    #expect(child.fullPath == result)
    #expect(child == path(result))
    #expect(child.description == "gs://bucket/" + result)
  }

  @Test("C09 C10 C11 C12: parent and root")
  func upwards() {
    #expect(path("a/b").parent == path("a"))
    #expect(path("a").parent == root)
    #expect(path("a").parent?.fullPath == "")
    #expect(path("a").parent?.parent == nil)
    #expect(path("a/b/c").root == root)
    #expect(path("foo/bar").parent?.name == "foo")
  }

  @Test("C14: equal paths have equal hashes")
  func equality() {
    #expect(path("a/b") == path("a").child("b"))
    #expect(path("a/b").hashValue == path("a").child("b").hashValue)
    #expect(path("a/b") != StoragePath(bucket: "other", path: "a/b"))
  }

  @Test("C15: NFC and NFD are two paths")
  func unicodeForms() {
    #expect(path("\u{E9}") != path("e\u{301}"))
  }

  @Test("C16: a combining mark behind a slash begins a segment")
  func combiningMark() {
    let name = path("a/\u{301}b")
    #expect(Array(name.name.utf8) == [0xCC, 0x81, 0x62])
    #expect(name.parent == path("a"))
  }

  @Test("C18: a thousand levels down and up again")
  func deep() {
    var current = root
    for _ in 0..<1_000 { current = current.child("x") }
    #expect(current.fullPath.utf8.count == 1_999)
    for _ in 0..<1_000 { current = current.parent ?? path("too far") }
    #expect(current == root)
  }

  @Test("an address and its path say the same")
  func address() throws {
    let address = try StorageAddress(parsing: "gs://bucket//a//b/")
    #expect(StoragePath(address) == path("a/b"))
    #expect(StoragePath(address).address == address.normalized())
  }
}
