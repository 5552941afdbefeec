// All that may stand where the state should be.

import Glibc
import TestSupport

@testable import MirrorEngine

/// A way to spoil a state that was there.
struct UnusableState: Sendable {
  static let file = ".mirror/state.db"

  var name: String
  var make: @Sendable (TemporaryDirectory) throws -> Void

  static let all: [UnusableState] = [
    UnusableState(name: "text") {
      try $0.write("this is no database, and long enough to have a header of its own: it has none, though.\n", to: file)
    },
    UnusableState(name: "random bytes") { root in
      var generator = SplitMix64(seed: 3)
      try root.write(generator.bytes(20_000), to: file)
    },
    UnusableState(name: "a broken header") { try overwrite($0, at: 0, with: Array("SQLite formal 3".utf8)) },
    UnusableState(name: "a broken schema page") {
      try overwrite($0, at: 100, with: [UInt8](repeating: 0xAA, count: 3_900))
    },
    UnusableState(name: "half the file") { try $0.write($0.read(file).prefix(10_000), to: file) },
    UnusableState(name: "a folder") { root in
      unlink(root.path(file))
      try root.write("keep me", to: "\(file)/inside")
    },
    UnusableState(name: "a link to elsewhere") { root in
      unlink(root.path(file))
      symlink("/etc/hostname", root.path(file))
    },
    UnusableState(name: "another program's database") { try run("PRAGMA application_id = 99", in: $0) },
    UnusableState(name: "another program's tables") { root in
      unlink(root.path(file))
      try run("CREATE TABLE things (id INTEGER)", in: root)
    },
    UnusableState(name: "a later layout") { try run("PRAGMA user_version = 7", in: $0) },
    UnusableState(name: "a table that lacks a column") { try run("ALTER TABLE files DROP COLUMN etag", in: $0) },
    UnusableState(name: "a missing table") { try run("DROP TABLE runs", in: $0) },
  ]

  static func overwrite(_ root: TemporaryDirectory, at offset: Int, with bytes: [UInt8]) throws {
    var content = try root.read(file)
    content.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
    try root.write(content, to: file)
  }

  private static func run(_ sql: String, in root: TemporaryDirectory) throws {
    try SQLiteConnection(path: root.path(file), access: .createOrWrite).execute(sql)
  }
}
