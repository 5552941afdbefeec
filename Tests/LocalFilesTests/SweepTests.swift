// What ended runs left is removed; what lives or is wanted stays.

import Glibc
import LocalFiles
import Testing
import TransferModel

@Suite("Sweep")
struct SweepTests {
  /// A run that begins after all these files were written.
  let later = Timestamp(seconds: 1 << 40)

  @Test("what was written since the run began is no left-over")
  func young() throws {
    let directory = try TestDirectory()
    try directory.write(".mirror-0123456789abcdef.part", "12345")
    let written = try #require(directory.status(".mirror-0123456789abcdef.part")).st_mtim.tv_sec
    for (start, kept) in [(0, 1), (1, 1), (2, 0)] {
      let start = Timestamp(seconds: Int64(written + start))
      #expect(Sweep(try directory.cache(), before: start) { _ in false }.run(in: [""]).kept == kept)
    }
  }

  @Test("left-over parts go; wanted ones, locked ones and everything else stay")
  func sweep() throws {
    let directory = try TestDirectory()
    let cache = try directory.cache()
    let wanted = "a/" + TemporaryName.part(for: try destination("a/wanted"))
    let stale = "a/" + TemporaryName.part(for: try destination("a/stale"))
    for name in [wanted, stale, "a/file", "a/.mirror-note.part", "b/.mirror-0123456789abcdef.part"] {
      try directory.write(name, "12345")
    }
    try directory.write("c/.mirror-0123456789abcdef.part", "below a folder that is not swept")
    try directory.makeDirectory("a/.mirror-00000000000000aa.part")
    var options = PartialFile.Options()
    options.bufferLimit = 0
    let live = try PartialFile(destination("a/live"), in: cache, digest: try StreamingDigest([]), options: options)
    try write("bytes", to: live)

    let result = Sweep(cache, before: later) { $0 == wanted }.run(in: ["a", "b", "", "missing"])
    #expect(result.removed == [stale, "b/.mirror-0123456789abcdef.part"])
    #expect(result.bytes == 10)
    #expect(result.kept == 3)
    #expect(result.failures.isEmpty)
    #expect(directory.read(wanted) == "12345")
    #expect(directory.read("a/.mirror-note.part") == "12345")
    #expect(directory.names("c").count == 1)
    try live.commit(modified: nil)
    #expect(directory.read("a/live") == "bytes")
  }

  @Test(
    "there is no point in it only where nothing was ever written",
    arguments: [
      ([], true), ([".mirror/state.db"], true), ([".mirror-0123456789abcdef.part"], false),
      ([".mirror/lock", ".mirror-note"], false), (["a/f"], false), (["f"], false),
    ])
  func pointless(names: [String], isPointless: Bool) throws {
    let directory = try TestDirectory()
    for name in names { try directory.write(name, "") }
    #expect(Sweep.isPointless(below: try directory.cache().root) == isPointless)
  }

  @Test("a part that another process has locked stays")
  func lockedElsewhere() throws {
    let directory = try TestDirectory()
    let name = TemporaryName.part(for: try destination("f"))
    try directory.write(name, "12345")
    let child = try PipedShell(#"exec 9>>"$1" && flock -n 9 && echo ready && read line"#, directory.path(name))
    try #require(child.line() == "ready")
    let sweep = Sweep(try directory.cache(), before: later) { _ in false }
    #expect(sweep.run(in: [""]).kept == 1)
    child.end()
    #expect(sweep.run(in: [""]).removed == [name])
  }

  @Test("a link with a part's name is left alone, its target too, and told")
  func link() throws {
    let directory = try TestDirectory()
    try directory.write("target", "precious")
    try directory.link(".mirror-0123456789abcdef.part", to: "target")
    let result = Sweep(try directory.cache(), before: later) { _ in false }.run(in: [""])
    #expect(result.removed.isEmpty)
    #expect(result.failures.map(\.reason) == [.symlinkRefused])
    #expect(directory.read("target") == "precious")
  }
}
