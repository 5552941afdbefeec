// The way to a decision, as `mirror explain` shows it.

import MirrorPlan
import Testing
import TransferModel

@Suite("Planner trace")
struct PlannerTraceTests {
  typealias F = Facts

  private func trace(
    _ entry: Entry, _ local: LocalFact, _ recorded: RecordedFile?, _ remote: RemoteFact, digests: [Digest] = [],
    isTold: Bool = false
  ) -> [String] {
    Planner().trace(
      for: entry, local: local, recorded: recorded, remote: remote, localDigests: DigestSet(digests), isTold: isTold
    ).map(\.rule.rawValue)
  }

  @Test("each question is a step, and the last step is the decision")
  func steps() {
    let object = F.entry([F.object])
    let present = RemoteFact.present(F.version(generation: 5, size: 10, [F.crcA]))
    #expect(trace(object, F.file(), nil, present, digests: [F.crcA]) == ["26", "28", "29"])
    #expect(trace(object, F.file(), nil, present, digests: [F.crcB]) == ["26", "28", "30"])
    #expect(trace(object, .absent, nil, present) == ["10"])
    #expect(trace(object, .absent, nil, present, isTold: true) == ["11"])
    #expect(
      trace(object, F.file(F.touched), F.row(F.object, F.version(generation: 5)), present, digests: [F.crcA])
        == ["question", "18"])
  }

  @Test("a trace without its answer ends in the question")
  func open() {
    #expect(trace(F.entry([F.object]), F.file(), nil, .notAsked) == ["26"])
  }

  @Test("every row has its words")
  func words() {
    for rule in PlannerRule.allCases { #expect(!rule.words.isEmpty) }
    #expect(Set(PlannerRule.allCases.map(\.words)).count == PlannerRule.allCases.count)
  }

  @Test("an explanation names the requests in the order in which they are sent")
  func explanation() {
    let entry = F.entry([F.object])
    let remote = RemoteFact.present(F.version(generation: 6, size: 10, [F.crcB]))
    let row = F.row(F.object, F.version(generation: 5))
    let explanation = Explanation(
      entry: entry, tree: nil, local: F.file(), recorded: row, remote: remote, locked: nil,
      rulings: Planner().trace(for: entry, local: F.file(), recorded: row, remote: remote, localDigests: DigestSet()),
      decision: Decision(.update, .remoteChange, by: .hash), listsNameVersions: true)
    #expect(explanation.requests == ["GET gs://b/o, unless it is still generation 5"])
    #expect(
      explanation.text == """
        d/f
          wanted    gs://b/o; line 3 of the manifest
          local     a file; 10 bytes; modified 1970-01-01T00:00:00Z; mode 644
          recorded  generation 5; proven 2023-11-14T22:13:20Z; from gs://b/o
          remote    generation 6; 10 bytes; crc32c:bbbbbbbb
        apply
          row 18    the file is as recorded, and the request itself asks whether there is anything new
                    -> update, ask, by generation
          asks      GET gs://b/o, unless it is still generation 5
        plan
          says      update, remote change, by hash

        """)
  }
}
