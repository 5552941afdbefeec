// Whatever stands where the state should be, a run goes on.

import Glibc
import MirrorPlan
import TestSupport
import Testing
import TransferModel

@testable import MirrorEngine

@Suite("State: opening")
struct StateOpeningTests {
  let root: TemporaryDirectory
  let log = NoticeLog()

  static let file = ".mirror/state.db"

  init() throws { root = try TemporaryDirectory(on: .memory) }

  /// Makes a state of 2,000 rows, closed in order.
  private func makeState() throws {
    let store = try StateStore.open(root)
    for index in 0..<2_000 { try store.record(.sample("dir/f\(index)")) }
    try store.close()
  }

  // MARK: Damage

  @Test("P18: an unusable state is moved aside once, and a new one works", arguments: UnusableState.all.indices)
  func unusable(index: Int) throws {
    try makeState()
    try UnusableState.all[index].make(root)
    let store = try StateStore.open(root, log: log)
    // Damage that shows only while reading is found by reading.
    _ = try store.allRows()
    let kept = try root.tree(below: ".mirror").map(\.path)
    #expect(kept.contains("\(Self.file).damaged-1"), "\(UnusableState.all[index].name)")
    #expect(log.notices.count == 1, "\(UnusableState.all[index].name): \(log.notices)")
    try store.record(.sample("new"))
    try store.close()
    let again = try StateStore.open(root, log: log)
    #expect(try again.allRows().map(\.destination.text) == ["new"])
    #expect(log.notices.count == 1)
  }

  @Test("reading moves and writes nothing, whatever stands there", arguments: UnusableState.all.indices)
  func unusableForReading(index: Int) throws {
    try makeState()
    try UnusableState.all[index].make(root)
    let before = try root.tree()
    let store = try StateStore.open(root, access: .read, log: log)
    #expect(try store.allRows().count < 2_000, "\(UnusableState.all[index].name)")
    #expect(log.notices.count == 1, "\(UnusableState.all[index].name): \(log.notices)")
    #expect(
      try root.tree().filter { !$0.path.hasSuffix("-shm") && !$0.path.hasSuffix("-wal") && $0.kind != .folder }
        == before.filter { $0.kind != .folder })
  }

  @Test("P18: a page that goes bad in the middle of a run costs a notice; the run's own rows are kept")
  func damageWhileRunning() throws {
    try makeState()
    let store = try StateStore.open(root, log: log)
    // The schema page stays whole, so opening succeeds; everything behind it is gone.
    let size = try root.read(Self.file).count
    try UnusableState.overwrite(root, at: 4_096 * 5, with: [UInt8](repeating: 0xAA, count: size - 4_096 * 5))
    try store.record(.sample("mine"))
    _ = try store.allRows()
    try store.flush()
    #expect(log.notices.count == 1)
    #expect(try store.allRows().map(\.destination.text) == ["mine"])
  }

  @Test("one copy of a damaged state is kept, the newest; folders are never deleted")
  func keptOnce() throws {
    for text in ["first", "second", "third"] {
      try root.write(text + String(repeating: " ", count: 200), to: Self.file)
      try StateStore.open(root, log: log).close()
      try #require(unlink(root.path(Self.file)) == 0)
    }
    #expect(try root.tree(below: ".mirror").map(\.path) == ["\(Self.file).damaged-3"])
    try root.write("", to: "\(Self.file)/inside")
    try StateStore.open(root, log: log).close()
    try #require(unlink(root.path(Self.file)) == 0)
    try root.write("fifth", to: Self.file)
    try StateStore.open(root, log: log).close()
    #expect(
      try root.tree(below: ".mirror").map(\.path) == [
        Self.file, "\(Self.file).damaged-4", "\(Self.file).damaged-4/inside", "\(Self.file).damaged-5",
      ])
  }

  @Test("an empty file is a new state, without a notice")
  func emptyFile() throws {
    try root.write("", to: Self.file)
    let store = try StateStore.open(root, log: log)
    try store.record(.sample("a"))
    try store.close()
    #expect(log.notices.isEmpty)
  }

  @Test("a state that is deleted under a run is made anew", arguments: [false, true])
  func deletedWhileRunning(withItsFolder: Bool) throws {
    try makeState()
    let store = try StateStore.open(root, log: log)
    for entry in try root.tree(below: ".mirror") { unlink(root.path(entry.path)) }
    if withItsFolder { rmdir(root.path(".mirror")) }
    try store.record(.sample("new"))
    try store.close()
    #expect(try StateStore.open(root).allRows().map(\.destination.text) == ["new"])
    #expect(log.notices.count == 1)
  }

  // MARK: Nothing to write

  @Test("reading a fresh root makes nothing and finds nothing")
  func readingAFreshRoot() throws {
    let store = try StateStore.open(root, access: .read, log: log)
    #expect(try store.allRows().isEmpty)
    #expect(try store.row(for: RelativePath("a")) == nil)
    #expect(try root.tree().isEmpty)
    #expect(log.notices.isEmpty)
    let nowhere = try StateStore(StateLocation(root: root.path("not/there")), access: .read)
    #expect(try nowhere.rowCount() == 0)
  }

  @Test("a state on a medium that cannot be written is read")
  func readOnlyMedium() throws {
    try makeState()
    try seal()
    defer { unseal() }
    try withoutFilePrivileges {
      let store = try StateStore.open(root, access: .read, log: log)
      #expect(try store.allRows().count == 2_000)
    }
    #expect(log.notices.isEmpty)
    #expect(try root.tree(below: ".mirror").map(\.path) == [Self.file])
  }

  @Test("a log on a medium that cannot be written is not skipped: the state is not used, with a notice")
  func readOnlyMediumWithLog() throws {
    let store = try StateStore.open(root)
    try store.record(.sample("a"))
    try store.flush()
    let copy = try TemporaryDirectory(on: .memory)
    for (path, bytes) in try root.files() where !path.hasSuffix("-shm") { try copy.write(bytes, to: path) }
    chmod(copy.path(".mirror"), 0o555)
    chmod(copy.path, 0o555)
    try withoutFilePrivileges {
      let reader = try StateStore.open(copy, access: .read, log: log)
      #expect(try reader.allRows().isEmpty)
    }
    #expect(log.notices.count == 1)
  }

  @Test("writing where it is not allowed is a local failure that names the path and what to do")
  func writingIsNotAllowed() throws {
    try makeState()
    try seal()
    defer { unseal() }
    let error = try withoutFilePrivileges {
      #expect(throws: TransferFailure.self) { try StateStore.open(root) }
    }
    #expect(error?.reason == .permissionDenied)
    #expect(error?.failureClass == .local)
    #expect(error?.message.contains(root.path(".mirror")) == true)
    #expect(error?.hint != nil)
  }

  @Test("a file that may not be read, in a folder of ours, is moved aside")
  func unreadableFile() throws {
    try makeState()
    chmod(root.path(Self.file), 0)
    chmod(root.path(".mirror"), 0o777)
    chmod(root.path, 0o777)
    try withoutFilePrivileges {
      try StateStore.open(root, log: log).close()
    }
    #expect(log.notices.count == 1)
    #expect(root.exists("\(Self.file).damaged-1"))
  }

  @Test(
    "a `.mirror` that is no folder of the root is refused, links above all",
    arguments: [("file", ReasonCode.notADirectory), ("link", .symlinkRefused)])
  func folderIsNone(kind: String, reason: ReasonCode) throws {
    let elsewhere = try TemporaryDirectory()
    if kind == "file" { try root.write("", to: ".mirror") } else { symlink(elsewhere.path, root.path(".mirror")) }
    let error = #expect(throws: TransferFailure.self) { try StateStore.open(root) }
    #expect(error?.reason == reason)
    #expect(try elsewhere.tree().isEmpty)
  }

  @Test("a root whose name looks like a URI or needs escapes is opened by its name")
  func strangeRoots() throws {
    for name in ["file:x?mode=memory", "a%20b#c", "caf\u{E9} \n"] {
      try root.makeFolder(name)
      let store = try StateStore(StateLocation(root: root.path(name)), access: .write)
      try store.close()
      #expect(root.exists("\(name)/.mirror/state.db"))
    }
    #expect(SQLiteConnection.uri("file:x", access: .read) == "file:file%3Ax")
    #expect(SQLiteConnection.uri("//a\u{1}", access: .readUnchanging) == "file:////a%01?immutable=1")
  }

  private func seal() throws {
    chmod(root.path(".mirror"), 0o555)
    chmod(root.path(Self.file), 0o444)
    chmod(root.path, 0o555)
  }

  private func unseal() {
    chmod(root.path, 0o755)
    chmod(root.path(".mirror"), 0o755)
  }
}
