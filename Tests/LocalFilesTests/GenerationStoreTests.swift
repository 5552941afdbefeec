// The generations of a root on a real disk: what is there after each step, and after a crash between two of them.

import Glibc
import LocalFiles
import TestSupport
import Testing
import TransferModel

@Suite struct GenerationStoreTests {
  typealias Layout = GenerationStore.Layout

  @Test(
    "where a root's store lies",
    arguments: [
      ("/srv/assets", "/srv", "/srv/.assets.mirror"), ("/assets", "/", "/.assets.mirror"),
    ])
  func layout(root: String, parent: String, folder: String) throws {
    let layout = try #require(Layout(root: root))
    #expect(layout.parent == parent)
    #expect(layout.folder == folder)
    #expect(layout.root == root)
  }

  @Test("what has no name of its own has no store", arguments: ["/", "/srv/..", "/srv/.", "", "assets"])
  func noLayout(root: String) { #expect(Layout(root: root) == nil) }

  @Test("four digits, and more where they are needed", arguments: [(0, "0000"), (7, "0007"), (12_345, "12345")])
  func names(number: Int, name: String) { #expect(GenerationStore.name(of: number) == name) }

  private func fresh() throws -> (TemporaryDirectory, GenerationStore, Layout) {
    let folder = try TemporaryDirectory(on: .disk, named: "generations")
    let layout = try #require(Layout(root: folder.path("root")))
    return (folder, try GenerationStore(layout, creating: true), layout)
  }

  private func publish(_ store: GenerationStore, _ folder: TemporaryDirectory, _ files: [String: String]) throws -> Int
  {
    _ = try store.begin()
    for (name, text) in files {
      // The file of the generation before has this name as well.
      unlink(folder.path(".root.mirror/next/\(name)"))
      try folder.write(text, to: ".root.mirror/next/\(name)")
    }
    return try store.publish()
  }

  @Test func `begin, publish, retire: the link moves, and as many old trees stay as are kept`() throws {
    let (folder, store, layout) = try fresh()
    #expect(GenerationStore.standing(layout) == .nothing)
    for number in 1...4 { #expect(try publish(store, folder, ["n": "\(number)"]) == number) }
    #expect(GenerationStore.standing(layout) == .generation(4))
    #expect(try folder.entry("root").kind == .link(".root.mirror/0004"))
    try store.retire(keeping: 1)
    #expect(try store.generations() == [3, 4])
    #expect(try folder.read(".root.mirror/0003/n") == Array("3".utf8))
  }

  @Test func `begin links all there is, links and pipes and modes included, and nothing of mirror's own`() throws {
    let (folder, store, _) = try fresh()
    try folder.write("x", to: "root/a/b/file")
    try folder.write("part", to: "root/.mirror-0123456789abcdef.part")
    try folder.write("db", to: "root/.mirror/state.db")
    #expect(symlink("../elsewhere", folder.path("root/a/link")) == 0)
    #expect(mkfifo(folder.path("root/pipe"), 0o600) == 0)
    #expect(mkdir(folder.path("root/empty"), 0o750) == 0)
    _ = try store.begin()
    let before = try folder.tree(below: "root").filter { !$0.path.contains(".mirror") }
    let after = try folder.tree(below: ".root.mirror/next")
    #expect(
      after.map { String($0.path.dropFirst(".root.mirror/next/".count)) } == before.map { String($0.path.dropFirst(5)) }
    )
    #expect(after.filter { $0.kind != .folder }.map(\.inode) == before.filter { $0.kind != .folder }.map(\.inode))
    #expect(after.map(\.mode) == before.map(\.mode))
  }

  @Test func `a folder that stands at the root's name becomes the generation before the first`() throws {
    let (folder, store, layout) = try fresh()
    try folder.write("old", to: "root/n")
    #expect(try publish(store, folder, ["m": "new"]) == 1)
    #expect(GenerationStore.standing(layout) == .generation(1))
    #expect(try store.generations() == [0, 1])
    #expect(try folder.read("root/n") == Array("old".utf8))
    #expect(try folder.read(".root.mirror/0000/n") == Array("old".utf8))
  }

  // MARK: After a crash

  @Test func `recover: a clone that did not come to its end, and trees half removed, are removed`() throws {
    let (folder, store, layout) = try fresh()
    _ = try publish(store, folder, ["n": "1"])
    try folder.write("half", to: ".root.mirror/cloning/a/b")
    try folder.write("half", to: ".root.mirror/retired-0000/a/b")
    #expect(symlink(".root.mirror/0009", folder.path(".root.mirror/flip")) == 0)
    try store.recover()
    #expect(
      try folder.tree(below: ".root.mirror").map(\.path).sorted() == [".root.mirror/0001", ".root.mirror/0001/n"])
    #expect(GenerationStore.standing(layout) == .generation(1))
  }

  @Test func `recover: a generation that was never shown is gone on with`() throws {
    let (folder, store, layout) = try fresh()
    _ = try publish(store, folder, ["n": "1"])
    _ = try store.begin()
    #expect(rename(folder.path(".root.mirror/next"), folder.path(".root.mirror/0002")) == 0)
    try store.recover()
    #expect(try store.generations() == [1])
    #expect(try store.unfinished() != nil)
    #expect(GenerationStore.standing(layout) == .generation(1))
    #expect(try store.publish() == 2)
  }

  @Test func `recover: a folder that was exchanged and not put away becomes a generation`() throws {
    let (folder, store, layout) = try fresh()
    try folder.write("old", to: ".root.mirror/flip/n")
    try folder.write("new", to: ".root.mirror/0001/n")
    #expect(symlink(".root.mirror/0001", folder.path("root")) == 0)
    try store.recover()
    #expect(try store.generations() == [0, 1])
    #expect(try folder.read(".root.mirror/0000/n") == Array("old".utf8))
    #expect(GenerationStore.standing(layout) == .generation(1))
  }

  @Test func `publish refuses a name at which something else stands`() throws {
    let (folder, store, layout) = try fresh()
    #expect(symlink("elsewhere", folder.path("root")) == 0)
    #expect(GenerationStore.standing(layout) == .foreign)
    _ = try store.begin()
    #expect(throws: TransferFailure.self) { try store.publish() }
    #expect(try folder.entry("root").kind == .link("elsewhere"))
  }

  // MARK: What others put in meanwhile

  @Test func `takeOver: new names and replaced files of others come along, what mirror wrote or removed stays`() throws
  {
    let (folder, store, _) = try fresh()
    try folder.write("own", to: "root/own")
    try folder.write("gone", to: "root/gone")
    try folder.write("theirs", to: "root/theirs")
    let next = DirectoryCache(try store.begin())
    _ = try next.moveToTrash(try RelativePath("gone"), folder: Trash.folder(of: "run"), expecting: nil)
    unlink(folder.path(".root.mirror/next/own"))
    try folder.write("own, new", to: ".root.mirror/next/own")
    unlink(folder.path("root/theirs"))
    try folder.write("theirs, new", to: "root/theirs")
    try folder.write("late", to: "root/x/late")
    try store.takeOver(into: next) { path in path.text == "own" }
    _ = try store.publish()
    let top = ".root.mirror/0001"
    let files = try folder.files(below: top).mapValues { String(decoding: $0, as: UTF8.self) }
    #expect(files == ["\(top)/own": "own, new", "\(top)/theirs": "theirs, new", "\(top)/x/late": "late"])
  }
}
