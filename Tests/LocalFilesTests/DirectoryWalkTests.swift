// The walk gives the tree in the order in which a bucket lists its names.

import Glibc
import LocalFiles
import Testing
import TransferModel

@Suite("Directory walk")
struct DirectoryWalkTests {
  let directory: TestDirectory

  init() throws { directory = try TestDirectory() }

  func steps(below: String? = nil) throws -> [String] {
    let walk = try DirectoryWalk(try directory.root(), below: try below.map { try destination($0) })
    var lines: [String] = []
    while let step = walk.next() {
      switch step {
      case .entry(let entry):
        let mark =
          switch entry.status.kind {
          case .file: ""
          case .directory: "/"
          case .symlink: "@"
          case .other: "?"
          }
        lines.append(entry.display + mark)
      case .unreadable(let path, let failure): lines.append("\(path): \(failure.reason.rawValue)")
      }
    }
    return lines
  }

  @Test("M25: entries come in the byte order of their full paths, a directory as if it ended in a slash")
  func order() throws {
    for name in ["a.txt", "a/b", "a-b", "a0", "a/b0/c", "a/b.x", "B", "z", "é", "a b", "A/z"] {
      try directory.write(name, "")
    }
    #expect(
      try steps() == [
        "A/", "A/z", "B", "a b", "a-b", "a.txt", "a/", "a/b", "a/b.x", "a/b0/", "a/b0/c", "a0", "z", "é",
      ])
  }

  @Test("the files of any tree come sorted by their whole path")
  func sorted() throws {
    let names = ["!", "+", "-", ".", "/", "0", "Z", "~"].flatMap { mark in
      ["x\(mark)y", "x/\(mark)q/f", "w\(mark)/x", "x/q\(mark)"].filter { (try? RelativePath($0)) != nil }
    }
    for name in names where name.utf8.last != UInt8(ascii: "/") {
      // A name that is a directory already stays one.
      try? directory.write(name, "")
    }
    let files = try steps().filter { !$0.hasSuffix("/") }
    #expect(files.count > 20)
    #expect(files == files.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
  }

  @Test("links are told and never followed, pipes are told and never opened")
  func kinds() throws {
    try directory.write("d/f", "12345", mode: 0o640)
    try directory.link("d/up", to: "..")
    try directory.link("dangling", to: "nowhere")
    #expect(mkfifo(directory.path("pipe"), 0o600) == 0)
    #expect(try steps() == ["d/", "d/f", "d/up@", "dangling@", "pipe?"])
    let walk = try DirectoryWalk(try directory.root(), below: try destination("d"))
    guard case .entry(let entry) = walk.next() else { return #expect(Bool(false), "expected an entry") }
    #expect(entry.path?.text == "d/f")
    #expect(entry.status.stamp.size == 5)
    #expect(entry.status.stamp.mode == 0o640)
  }

  @Test("names of mirror's own are left out at every depth, names like them are not")
  func reserved() throws {
    for name in [".mirror/state.db", ".mirror-0123456789abcdef.part", "a/.mirror-x", ".mirrors", "a/.mirro", ".m"] {
      try directory.write(name, "")
    }
    #expect(try steps() == [".m", ".mirrors", "a/", "a/.mirro"])
  }

  @Test("a name that is not UTF-8 is given as bytes, and as no path")
  func invalidUTF8() throws {
    let name: [UInt8] = [0x61, 0xFF, 0x62]
    let path = directory.path.utf8CString.dropLast() + [0x2F] + name.map { CChar(bitPattern: $0) } + [0]
    let descriptor = open(Array(path), O_WRONLY | O_CREAT, 0o600)
    try #require(descriptor >= 0)
    close(descriptor)
    let walk = try DirectoryWalk(try directory.root())
    guard case .entry(let entry) = walk.next() else { return #expect(Bool(false), "expected an entry") }
    #expect(entry.bytes == name)
    #expect(entry.text == nil)
    #expect(entry.path == nil)
    #expect(entry.display == "a\u{FFFD}b")
  }

  @Test("a directory that vanishes before it is entered is passed by; its siblings are not")
  func vanished() throws {
    for name in ["a/x", "b/x", "c"] { try directory.write(name, "") }
    let walk = try DirectoryWalk(try directory.root())
    _ = walk.next()
    #expect(unlink(directory.path("a/x")) == 0)
    #expect(rmdir(directory.path("a")) == 0)
    var rest: [String] = []
    while case .entry(let entry) = walk.next() { rest.append(entry.display) }
    #expect(rest == ["b", "b/x", "c"])
  }

  @Test("a directory replaced by a link after it was given out is reported, not followed")
  func swapped() throws {
    let outside = try TestDirectory()
    try outside.write("secret", "")
    try directory.makeDirectory("a")
    try directory.write("b", "")
    let walk = try DirectoryWalk(try directory.root())
    _ = walk.next()
    #expect(rmdir(directory.path("a")) == 0)
    try directory.link("a", to: outside.path)
    guard case .unreadable("a", let failure) = walk.next() else { return #expect(Bool(false), "expected a report") }
    #expect([.symlinkRefused, .notADirectory].contains(failure.reason))
    guard case .entry(let entry) = walk.next() else { return #expect(Bool(false), "expected an entry") }
    #expect(entry.display == "b")
    #expect(walk.next() == nil)
  }

  @Test("content can be skipped")
  func skip() throws {
    for name in ["a/x/y", "a/z", "b"] { try directory.write(name, "") }
    let walk = try DirectoryWalk(try directory.root())
    var lines: [String] = []
    while case .entry(let entry) = walk.next() {
      lines.append(entry.display)
      if entry.display == "a/x" { walk.skipContent() }
    }
    #expect(lines == ["a", "a/x", "a/z", "b"])
  }

  @Test("a missing start is an empty walk, a start that is no directory an error")
  func start() throws {
    try directory.write("file", "")
    #expect(try steps(below: "none/none").isEmpty)
    #expect(failure { _ = try self.steps(below: "file") }?.reason == .notADirectory)
  }

  @Test("a directory larger than one read of it is complete and sorted")
  func large() throws {
    for number in 0..<3_000 { try directory.write("n\(number)-with-a-rather-long-name-to-fill-the-buffer", "") }
    let lines = try steps()
    #expect(lines.count == 3_000)
    #expect(lines == lines.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
  }
}
