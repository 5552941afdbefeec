// What a prepared statement keeps of one run for the next: nothing.

import TestSupport
import Testing

@testable import MirrorEngine

@Suite("A prepared statement")
struct SQLiteStatementTests {
  private static func withStatement(
    _ body: (SQLiteConnection, SQLiteStatement) throws -> Void
  ) throws {
    let folder = try TemporaryDirectory()
    let connection = try SQLiteConnection(path: folder.path("one.db"), access: .createOrWrite)
    try connection.execute("CREATE TABLE pairs (name TEXT, bytes BLOB)")
    try body(connection, try connection.prepare("INSERT INTO pairs VALUES (?, ?)"))
  }

  @Test("what one run bound is NULL in the next")
  func unbound() throws {
    try Self.withStatement { connection, insert in
      insert.bind("a", at: 0)
      insert.bind([1, 2, 3], at: 1)
      try insert.run()
      insert.bind("b", at: 0)
      try insert.run()
      #expect(try connection.integer("SELECT count(*) FROM pairs WHERE bytes IS NULL AND name = 'b'") == 1)
      #expect(try connection.integer("SELECT count(*) FROM pairs WHERE bytes = x'010203' AND name = 'a'") == 1)
    }
  }

  @Test("values of every size arrive whole, many in one run", arguments: [0, 1, 100, 2_047, 2_048, 2_049, 70_000])
  func sizes(size: Int) throws {
    try Self.withStatement { connection, insert in
      for round in 0..<3 {
        let byte = UInt8(ascii: "a") + UInt8(round)
        insert.bind(String(repeating: Character(UnicodeScalar(byte)), count: size), at: 0)
        insert.bind([UInt8](repeating: byte, count: size), at: 1)
        try insert.run()
      }
      let rows = try connection.prepare("SELECT name, bytes FROM pairs ORDER BY rowid")
      defer { rows.reset() }
      for round in 0..<3 {
        let byte = UInt8(ascii: "a") + UInt8(round)
        #expect(try rows.step())
        #expect(rows.text(at: 0).map { Array($0.utf8) } == [UInt8](repeating: byte, count: size))
        #expect(rows.blob(at: 1) == [UInt8](repeating: byte, count: size))
      }
    }
  }
}
