// Which folders a run looks into for what was left unfinished.

import MirrorPlan
import Testing
import TransferModel

@testable import MirrorEngine

@Suite("Folders to sweep")
struct FoldersToSweepTests {
  private static func ledger(sweepsEverything: Bool) throws -> RunLedger {
    try RunLedger(
      sweepsEverything: sweepsEverything, progress: RunProgress(),
      observe: { _ in })
  }

  private static func outcomes(_ destinations: [String], _ outcome: Outcome = .downloaded) -> [EntryOutcome] {
    destinations.map {
      EntryOutcome(
        reference: "https://host.example/x", destination: $0, action: .download, outcome: outcome, reason: .new)
    }
  }

  @Test("after a run without an end every folder is looked into, in whatever order its files come")
  func everything() async throws {
    let ledger = try Self.ledger(sweepsEverything: true)
    await ledger.add(Self.outcomes(["a/1", "a/2", "1", "b/c/1", "a/3", "2", "ab/1", "b/1"]))
    #expect(await ledger.foldersToSweep == ["a", "", "b/c", "ab", "b"])
  }

  @Test("a folder that was handed over is noted again")
  func again() async throws {
    let ledger = try Self.ledger(sweepsEverything: true)
    await ledger.add(Self.outcomes(["a/1"]))
    #expect(await ledger.takeFoldersToSweep() == ["a"])
    await ledger.add(Self.outcomes(["a/2"]))
    #expect(await ledger.takeFoldersToSweep() == ["a"])
  }

  @Test("a name that is no path has no folder")
  func unsafeName() async throws {
    let ledger = try Self.ledger(sweepsEverything: true)
    await ledger.add(Self.outcomes(["../x", "/x", "a//b"]))
    #expect(await ledger.foldersToSweep.isEmpty)
  }

  @Test(
    "else only folders in which something was cut off",
    arguments: Outcome.allCases)
  func cutOff(outcome: Outcome) async throws {
    let ledger = try Self.ledger(sweepsEverything: false)
    await ledger.add(Self.outcomes(["a/1"], outcome))
    #expect(await ledger.foldersToSweep == (outcome == .failed || outcome == .interrupted ? ["a"] : []))
  }
}
