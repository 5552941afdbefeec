// From listed names to entries: markers, unsafe names, conflicts, filters.

import MirrorPlan
import Testing
import TransferModel

@Suite("Entry inventory")
struct EntryInventoryTests {
  /// Feeds names (with sizes) and says in one word what became of each.
  private func admit(
    _ objects: [(String, Int64)], prefix: String? = nil, to destination: String? = "site",
    claims: EntryClaims = EntryClaims(), include: @escaping @Sendable (String) -> Bool = { _ in true }
  ) -> [String] {
    let tree = Tree(
      prefix: StorageAddress(bucket: "b", object: prefix.map { ObjectName($0) }),
      destination: destination.map { Facts.path($0) })
    var inventory = EntryInventory(tree: tree, claims: claims, isIncluded: include)
    return objects.map { name, size in
      Self.word(inventory.admit(ListedObject(ObjectName(name), ObjectVersion(size: size))))
    }
  }

  private static func word(_ admission: Admission) -> String {
    switch admission {
    case .entry(let entry, _): entry.destination.text
    case .folder(let path): "folder \(path?.text ?? ".")"
    case .filtered: "filtered"
    case .heldByItem(let path): "item \(path.text)"
    case .refused(let row): "\(row.action.rawValue) \(row.reason.text)"
    }
  }

  @Test("R01, R10, P70, P71: a plain name is kept byte for byte")
  func plainNames() {
    let names = [
      "-rf", " x ", "C:x", "CON", "a/b.txt", "a\\b", "e\u{301}", "line\nfeed", "x.", "~x", "\u{E9}",
    ].sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let admitted = admit(names.map { ($0, 1) }, to: nil)
    #expect(admitted.count == names.count)
    for (name, path) in zip(names, admitted) { #expect(name.utf8.elementsEqual(path.utf8)) }
  }

  @Test(
    "P38, R02 to R05: an unsafe name is refused and never cleaned",
    arguments: [
      ("../x", "unsafe_name"), ("a/../../x", "unsafe_name"), ("..", "unsafe_name"), ("/etc/passwd", "empty_name_part"),
      ("a//b", "empty_name_part"), ("a/./b", "unsafe_name"), ("a/../b", "unsafe_name"),
      ("data/../../../escape.txt", "unsafe_name"), ("/", "empty_name_part"), ("//", "empty_name_part"),
      (".mirror/state.db", "reserved_name"), ("a/.mirror-x", "reserved_name"), ("x\u{0}y", "unsafe_name"),
    ])
  func unsafeNames(name: String, reason: String) {
    #expect(admit([(name, 1)]) == ["error \(reason)"])
    #expect(admit([(name, 1)], to: nil) == ["error \(reason)"])
  }

  @Test("P72, R09: a name that no file can have is refused before a byte moves")
  func longNames() {
    let longest = String(repeating: "a", count: 255)
    #expect(admit([(longest, 1)]) == ["site/" + longest])
    #expect(admit([(longest + "a", 1)]) == ["error name_too_long"])
    let deep = Array(repeating: String(repeating: "a", count: 200), count: 20).joined(separator: "/")
    #expect(admit([(deep, 1)]) == ["error name_too_long"])
  }

  @Test("P67, R08: of a file and what needs it as a folder, the first is kept and all others go on")
  func fileAndFolder() {
    let names = ["a", "a!", "a-b/c", "a/b", "a/b/c", "a0", "b/c", "b/c/d", "b/d"]
    #expect(
      admit(names.map { ($0, 1) }) == [
        "site/a", "site/a!", "site/a-b/c", "conflict name_conflict", "conflict name_conflict", "site/a0", "site/b/c",
        "conflict name_conflict", "site/b/d",
      ])
  }

  @Test("P68, R06, R07: an empty marker is a folder, one with content is reported")
  func markers() {
    #expect(
      admit([("", 0), ("d/", 0), ("d/x", 1), ("e/", 3), ("f", 1), ("f/", 0)]) == [
        "folder site", "folder site/d", "site/d/x", "error marker_with_content", "site/f", "conflict name_conflict",
      ])
    #expect(admit([("\u{600}/", 0)]) == ["folder site/\u{600}"], "a name is bytes, not characters")
    #expect(admit([("m/", 0), ("m/x", 1)], prefix: "m/", to: nil) == ["folder .", "x"])
    #expect(admit([("m/", 5)], prefix: "m/") == ["error marker_with_content"])
  }

  @Test("a prefix is cut off, with or without its slash; names outside of it are refused")
  func prefixes() {
    #expect(admit([("m/x", 1)], prefix: "m/") == ["site/x"])
    #expect(admit([("m/x", 1)], prefix: "m") == ["site/x"])
    #expect(admit([("mx", 1)], prefix: "m/") == ["error unexpected_content"])
  }

  @Test("P86: what is left out is not looked at")
  func filtered() {
    let admitted = admit([("../x", 1), ("a.txt", 1)], include: { $0.hasSuffix(".txt") })
    #expect(admitted == ["filtered", "site/a.txt"])
  }

  @Test("an item wins over a tree's object of the same destination, and over folders")
  func items() {
    var claims = EntryClaims()
    #expect(claims.claim(item: Facts.path("site/a")) == nil)
    #expect(claims.claim(item: Facts.path("site/b/c")) == nil)
    #expect(
      admit([("a", 1), ("a/x", 1), ("b", 1), ("b/d", 1)], claims: claims) == [
        "item site/a", "conflict name_conflict", "conflict name_conflict", "site/b/d",
      ])
    #expect(claims.claim(item: Facts.path("site/a/b"))?.reason == .nameConflict)
    #expect(claims.claim(item: Facts.path("site"))?.reason == .nameConflict)
  }

  @Test("P69: where cases are not told apart, the second spelling is refused")
  func folding() {
    let names = ["A.txt", "B/x", "a.txt", "b/X", "b/y", "c", "d/e"]
    #expect(admit(names.map { ($0, 1) }).contains { $0.hasPrefix("conflict") } == false)
    #expect(
      admit(names.map { ($0, 1) }, claims: EntryClaims(foldsCase: true)) == [
        "site/A.txt", "site/B/x", "conflict case_collision", "conflict case_collision", "site/b/y", "site/c",
        "site/d/e",
      ])
    #expect(
      admit([("A", 1), ("a/x", 1), ("b/x", 1), ("B", 1)], claims: EntryClaims(foldsCase: true)) == [
        "site/A", "conflict case_collision", "site/b/x", "conflict case_collision",
      ])
  }

  @Test("P69: folding meets items too, and Unicode forms of one name")
  func foldingItems() {
    var claims = EntryClaims(foldsCase: true)
    #expect(claims.claim(item: Facts.path("site/Read")) == nil)
    #expect(claims.claim(item: Facts.path("Site/read"))?.reason == .caseCollision)
    #expect(
      admit([("Read", 1), ("e\u{301}", 1), ("read", 1), ("\u{E9}", 1)], claims: claims) == [
        "item site/Read", "site/e\u{301}", "conflict case_collision", "conflict case_collision",
      ])
  }

  @Test("P69: claims go from one tree to the next")
  func twoTrees() {
    func tree(_ prefix: String) -> Tree {
      Tree(prefix: StorageAddress(bucket: "b", object: ObjectName(prefix)), destination: Facts.path("site"))
    }
    var first = EntryInventory(tree: tree("m/"), claims: EntryClaims(foldsCase: true), isIncluded: { _ in true })
    #expect(Self.word(first.admit(ListedObject(ObjectName("m/b/x")))) == "site/b/x")
    var second = EntryInventory(tree: tree("n/"), claims: first.claims, isIncluded: { _ in true })
    #expect(Self.word(second.admit(ListedObject(ObjectName("n/b")))) == "conflict case_collision")
    #expect(Self.word(second.admit(ListedObject(ObjectName("n/b/X")))) == "conflict case_collision")
    #expect(Self.word(second.admit(ListedObject(ObjectName("n/b/y")))) == "site/b/y")
  }

  @Test("a listing out of order is not fit to delete by")
  func order() {
    let tree = Tree(prefix: StorageAddress(bucket: "b", object: nil), destination: nil)
    var inventory = EntryInventory(tree: tree, claims: EntryClaims(), isIncluded: { _ in true })
    _ = inventory.admit(ListedObject(ObjectName("a")))
    _ = inventory.admit(ListedObject(ObjectName("b")))
    #expect(inventory.listing(hasAllPages: true) == ListingFact(isComplete: true, wanted: 2))
    #expect(inventory.listing(hasAllPages: false) == ListingFact(isComplete: false, wanted: 2))
    _ = inventory.admit(ListedObject(ObjectName("a")))
    #expect(inventory.listing(hasAllPages: true).isComplete == false)
  }

  @Test("an entry carries the tree's settings and what the listing says")
  func entry() {
    let settings = TransferSettings(maxSize: 7, verify: .strict)
    let mark = SourceMark(line: 9, column: 3)
    let tree = Tree(
      prefix: StorageAddress(bucket: "b", object: ObjectName("m/")), destination: Facts.path("d"), settings: settings,
      mark: mark)
    var inventory = EntryInventory(tree: tree, claims: EntryClaims(), isIncluded: { _ in true })
    let version = ObjectVersion(generation: 3, size: 4)
    let expected = Entry(
      references: [.storage(StorageAddress(bucket: "b", object: ObjectName("m/x")))], destination: Facts.path("d/x"),
      settings: settings, declaration: .tree(mark))
    #expect(inventory.admit(ListedObject(ObjectName("m/x"), version)) == .entry(expected, .present(version)))
    #expect(ListedObject(ObjectName("m/x")).fact == .notAsked, "a name alone is no fact")
  }
}
