// The rule by which a transfer may begin under --max-bytes and --max-transfers, row by row, and the books that it reads.

import MirrorPlan
import Testing
import TransferModel

@Suite("Transfer budget")
struct TransferBudgetTests {
  typealias Budget = TransferBudget
  typealias Books = TransferBudget.Books

  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var bytes: Int64?
    var transfers: Int?
    var books = Books()
    var size: Int64?
    var verdict: Budget.Verdict

    var testDescription: String { name }
  }

  static let rows: [Row] = [
    Row(name: "no limit", size: 1 << 40, verdict: .begin),
    Row(name: "the last one allowed", transfers: 3, books: Books(transfers: 2), size: 5, verdict: .begin),
    Row(name: "one too many", transfers: 3, books: Books(transfers: 3), size: 5, verdict: .refuse(.transfers(3))),
    Row(
      name: "one too many, if all under way bring a body", transfers: 3,
      books: Books(transfers: 1, claimedTransfers: 2),
      size: 5, verdict: .wait),
    Row(name: "fits exactly", bytes: 100, books: Books(bytes: 60), size: 40, verdict: .begin),
    Row(name: "a byte too much", bytes: 100, books: Books(bytes: 60), size: 41, verdict: .refuse(.bytes(100))),
    Row(
      name: "too much, if all under way is received", bytes: 100, books: Books(bytes: 10, claimedBytes: 50), size: 41,
      verdict: .wait),
    Row(
      name: "larger than the whole budget", bytes: 100, size: 101,
      verdict: .refuse(.tooLarge(size: 101, budget: 100))),
    Row(
      name: "larger than the whole budget, of which some is spent", bytes: 100, books: Books(bytes: 99), size: 101,
      verdict: .refuse(.tooLarge(size: 101, budget: 100))),
    Row(name: "unknown size, something left", bytes: 100, books: Books(bytes: 99), verdict: .begin),
    Row(name: "unknown size, nothing left", bytes: 100, books: Books(bytes: 100), verdict: .refuse(.bytes(100))),
    Row(
      name: "overdrawn by a body of unknown size", bytes: 100, books: Books(bytes: 300), verdict: .refuse(.bytes(100))),
    Row(
      name: "unknown size, all that is left is claimed", bytes: 100, books: Books(bytes: 40, claimedBytes: 60),
      verdict: .wait),
    Row(name: "nothing to receive, nothing left", bytes: 100, books: Books(bytes: 100), size: 0, verdict: .begin),
    Row(
      name: "both limits: the count decides first", bytes: 100, transfers: 1, books: Books(bytes: 100, transfers: 1),
      size: 5, verdict: .refuse(.transfers(1))),
    Row(
      name: "both limits: bytes refuse where the count would wait", bytes: 100, transfers: 2,
      books: Books(bytes: 100, transfers: 1, claimedTransfers: 1), size: 5, verdict: .refuse(.bytes(100))),
  ]

  @Test("the rule", arguments: rows)
  func rule(row: Row) {
    let limits = Budget.Limits(bytes: row.bytes.map { ByteCount($0) }, transfers: row.transfers)
    #expect(Budget.verdict(limits, row.books, size: row.size) == row.verdict)
  }

  @Test("a transfer that fails before its body gives its place back")
  func givesBack() {
    var budget = Budget(.init(transfers: 1))
    #expect(budget.ask(1, size: nil, mayBeUnchanged: false) == .begin)
    #expect(budget.ask(2, size: nil, mayBeUnchanged: false) == .wait)
    budget.end(1, received: 0)
    #expect(budget.ask(2, size: nil, mayBeUnchanged: false) == .begin)
    #expect(budget.head(2, size: 10) == nil)
    #expect(budget.ask(3, size: nil, mayBeUnchanged: false) == .refuse(.transfers(1)))
    budget.end(2, received: 10)
    #expect(budget.books == Books(bytes: 10, transfers: 1))
  }

  @Test("what is answered with 304 uses nothing up, and its head decides when it is not")
  func conditional() {
    var budget = Budget(.init(bytes: 100, transfers: 1))
    for ticket in 1...3 { #expect(budget.ask(ticket, size: 1_000, mayBeUnchanged: true) == .begin) }
    budget.end(1, received: 0)
    #expect(budget.head(2, size: 60) == nil)
    #expect(budget.head(3, size: 10) == .transfers(1))
    budget.end(3, received: 0)
    budget.end(2, received: 60)
    #expect(budget.books == Books(bytes: 60, transfers: 1))
  }

  @Test("another attempt of a transfer is no other transfer, and is never turned away")
  func attempts() {
    var budget = Budget(.init(bytes: 100, transfers: 1))
    #expect(budget.ask(1, size: 80, mayBeUnchanged: false) == .begin)
    #expect(budget.head(1, size: 80) == nil)
    #expect(budget.head(1, size: 80) == nil)
    #expect(budget.books == Books(claimedBytes: 80, transfers: 1))
    budget.end(1, received: 130)
    #expect(budget.books == Books(bytes: 130, transfers: 1))
  }

  @Test("a head may say that it is more than was known")
  func headDecides() {
    var budget = Budget(.init(bytes: 100))
    #expect(budget.ask(1, size: nil, mayBeUnchanged: false) == .begin)
    #expect(budget.ask(2, size: nil, mayBeUnchanged: false) == .begin)
    #expect(budget.head(1, size: 90) == nil)
    #expect(budget.head(2, size: 20) == .bytes(100))
    #expect(budget.ask(3, size: nil, mayBeUnchanged: false) == .begin)
    #expect(budget.head(3, size: 101) == .tooLarge(size: 101, budget: 100))
    budget.end(2, received: 0)
    #expect(budget.books == Books(claimedBytes: 90, transfers: 1))
  }
}
