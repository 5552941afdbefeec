// The resume table, row by row.

import Testing
import TransferModel

@Suite("Resume decisions")
struct ResumeDecisionTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var offset: Int64
    var status: Int
    var range: String?
    var response = ObjectVersion()
    var decision: ResumeDecision?
    var testDescription: String { name }
  }

  private static let ours = ObjectVersion(generation: 7, etag: "\"a\"", size: 100)

  static let rows: [Row] = [
    Row(name: "plain 200", offset: 0, status: 200, decision: .takeFromStart),
    Row(name: "P87: 206 that nobody asked for", offset: 0, status: 206, range: "bytes 0-99/100", decision: .refuse),
    Row(name: "P15: 416 that nobody asked for", offset: 0, status: 416, range: "bytes */0", decision: .refuse),
    Row(name: "404 is not this table's", offset: 40, status: 404, decision: nil),
    Row(name: "P10: the range is ignored", offset: 40, status: 200, decision: .takeFromStart),
    Row(name: "Q07: the tail", offset: 40, status: 206, range: "bytes 40-99/100", decision: .append),
    Row(name: "P11b: an honest short tail", offset: 40, status: 206, range: "bytes 40-49/100", decision: .append),
    Row(name: "the total is not said", offset: 40, status: 206, range: "bytes 40-99/*", decision: .append),
    Row(
      name: "P11a, Q09: everything, labelled 206", offset: 40, status: 206, range: "bytes 0-99/100",
      decision: .takeFromStart),
    Row(name: "P12: no Content-Range", offset: 40, status: 206, decision: .startOver(withoutRange: true)),
    Row(
      name: "unreadable Content-Range", offset: 40, status: 206, range: "bytes 99-40/100",
      decision: .startOver(withoutRange: true)),
    Row(
      name: "P13: another offset", offset: 40, status: 206, range: "bytes 57-99/100",
      decision: .startOver(withoutRange: true)),
    Row(
      name: "Q10: another total", offset: 40, status: 206, range: "bytes 40-98/99",
      decision: .startOver(withoutRange: false)),
    Row(
      name: "Q11: another generation", offset: 40, status: 206, range: "bytes 40-99/100",
      response: ObjectVersion(generation: 8), decision: .startOver(withoutRange: false)),
    Row(
      name: "the same generation, another ETag (metadata edit)", offset: 40, status: 206, range: "bytes 40-99/100",
      response: ObjectVersion(generation: 7, etag: "\"b\""), decision: .append),
    Row(
      name: "another ETag, no generation", offset: 40, status: 206, range: "bytes 40-99/100",
      response: ObjectVersion(etag: "\"b\""), decision: .startOver(withoutRange: false)),
    Row(
      name: "P14, Q12: 416, and all bytes are there", offset: 100, status: 416, range: "bytes */100",
      decision: .alreadyComplete),
    Row(
      name: "Q13: 416, and more bytes are there than there should be", offset: 120, status: 416,
      range: "bytes */100", decision: .startOver(withoutRange: false)),
    Row(name: "416 without a total", offset: 40, status: 416, decision: .startOver(withoutRange: false)),
    Row(name: "412", offset: 40, status: 412, decision: .startOver(withoutRange: false)),
  ]

  @Test("every row of the table", arguments: rows) func row(_ row: Row) {
    let decision = ResumeDecision.decide(
      part: .init(offset: row.offset, version: Self.ours), status: row.status,
      contentRange: row.range.flatMap(ContentRange.init(parsing:)), response: row.response)
    #expect(decision == row.decision)
  }
}
