// Which rate holds at which time of the day, row by row.

import Testing
import TransferModel

@Suite("Rate table")
struct RateTableTests {
  private static func at(_ hour: Int, _ minute: Int = 0, _ second: Int = 0) -> Int {
    hour * 3_600 + minute * 60 + second
  }

  private static func table(_ rows: [(Int, Int64)]) throws -> RateTable {
    try RateTable(rows.map { RateTable.Row(from: $0.0, rate: $0.1) })
  }

  @Test(
    "day and night, over midnight",
    arguments: [
      (at(0), 0, at(8)), (at(7, 59, 59), 0, 1), (at(8), 5, at(12)), (at(12), 5, at(8)), (at(19, 59, 59), 5, 1),
      (at(20), 0, at(12)), (at(23, 59, 59), 0, at(8, 0, 1)),
    ] as [(Int, Int64, Int)])
  func dayAndNight(second: Int, rate: Int64, untilChange: Int) throws {
    // Not in order, which is allowed.
    let table = try Self.table([(Self.at(20), 0), (Self.at(8), 5)])
    #expect(table.rate(at: second) == rate)
    #expect(table.untilChange(after: second) == untilChange)
    #expect(!table.isUnlimited)
  }

  @Test("a row with the rate of the one before changes nothing")
  func sameRate() throws {
    let table = try Self.table([(Self.at(6), 1), (Self.at(12), 1), (Self.at(18), 2)])
    #expect(table.untilChange(after: Self.at(7)) == Self.at(11))
    #expect(table.untilChange(after: Self.at(19)) == Self.at(11))
  }

  @Test("one row, and a plain rate, hold all day", arguments: [0, 43_200, 86_399])
  func constant(second: Int) throws {
    for table in [RateTable(7), try Self.table([(Self.at(8), 7)])] {
      #expect(table.rate(at: second) == 7)
      #expect(table.untilChange(after: second) == nil)
    }
  }

  @Test("no limit at any time is none")
  func unlimited() throws {
    #expect(RateTable(0).isUnlimited)
    #expect(try Self.table([(0, 0), (1, 0)]).isUnlimited)
  }

  @Test("what is no table")
  func violations() {
    #expect(throws: RateTable.Violation.empty) { try RateTable([]) }
    #expect(throws: RateTable.Violation.duplicate(60)) { try Self.table([(60, 1), (0, 1), (60, 2)]) }
  }

  @Test(
    "times of day",
    arguments: [
      ("00:00", 0), ("8:00", 28_800), ("08:00", 28_800), ("23:59", 86_340), ("24:00", nil), ("08:60", nil), ("8", nil),
      ("08:0", nil), ("08:00:00", nil), ("-1:00", nil), ("+8:00", nil), ("", nil), (":", nil), ("0x:00", nil),
      ("008:00", nil), (" 08:00", nil), ("08：00", nil),
    ] as [(String, Int?)])
  func times(text: String, second: Int?) { #expect(RateTable.second(ofTime: text) == second) }
}
