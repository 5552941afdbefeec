// The trash is emptied run by run, and nothing outside of it is touched.

import Glibc
import LocalFiles
import Testing
import TransferModel

@Suite("Trash")
struct TrashTests {
  let directory: TestDirectory
  let cache: DirectoryCache

  init() throws {
    directory = try TestDirectory()
    cache = try directory.cache()
  }

  @Test("a root without trash has none, and emptying it is no error")
  func none() throws {
    #expect(try Trash(cache).runs().isEmpty)
    #expect(try Trash(cache).empty("run", isStopped: { false }))
  }

  @Test("one run's files go, those of another stay; the last one takes the folder along")
  func emptied() throws {
    for name in ["a/b/1", "a/2", "3"] {
      try directory.write(name, name)
      let run = name == "3" ? "late" : "early"
      #expect(try cache.moveToTrash(destination(name), folder: Trash.folder(of: run), expecting: nil))
    }
    let trash = Trash(cache)
    #expect(try trash.runs() == ["early", "late"])
    #expect(try trash.empty("early", isStopped: { false }))
    #expect(try trash.runs() == ["late"])
    #expect(directory.read(".mirror/trash/late/3") == "3")
    #expect(try trash.empty("late", isStopped: { false }))
    #expect(!directory.names(".mirror").contains("trash"))
    // The folders are made anew when they are needed again.
    try directory.write("4", "4")
    #expect(try cache.moveToTrash(destination("4"), folder: Trash.folder(of: "early"), expecting: nil))
    #expect(directory.read(".mirror/trash/early/4") == "4")
  }

  @Test("a link in the trash goes, its target stays")
  func links() throws {
    try directory.write("kept/f", "kept")
    try directory.write(".mirror/trash/run/x", "x")
    try directory.link(".mirror/trash/run/link", to: "../../../kept")
    #expect(try Trash(cache).empty("run", isStopped: { false }))
    #expect(directory.read("kept/f") == "kept")
    #expect(directory.names(".mirror").isEmpty)
  }

  @Test("it stops where it is told to, and goes on later")
  func stopped() throws {
    for index in 0..<5 { try directory.write(".mirror/trash/run/\(index)", "x") }
    var asked = 0
    let isDone = try Trash(cache).empty("run") {
      asked += 1
      return asked > 2
    }
    #expect(!isDone)
    #expect(directory.names(".mirror/trash/run").count == 3)
    #expect(try Trash(cache).empty("run", isStopped: { false }))
  }
}
