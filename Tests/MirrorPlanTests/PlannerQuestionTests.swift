// The planner asks and is answered until it decides: over every combination of facts, it comes to an end.

import MirrorPlan
import Testing
import TransferModel

@Suite("Planner's questions")
struct PlannerQuestionTests {
  typealias F = Facts

  static let versions = [
    F.version(), F.version(generation: 5, size: 10, [F.crcA]), F.version(generation: 6, size: 10, [F.md5A, F.crcB]),
    F.version(etag: "\"e\"", size: 10), F.version(etag: "W/\"e\""), F.version(modified: F.day, size: 10),
    F.version(size: 11, coding: "gzip"),
  ]

  static var entries: [Entry] {
    var entries: [Entry] = []
    for references in [[F.object], [F.web], [F.object, F.web]] {
      for verify in [TransferSettings.Verify.auto, .strict] {
        for content in TransferSettings.ContentForm.allCases {
          for pins in [[], [F.crcB, F.sha256A]] {
            for generation in [nil, 5 as Int64] {
              entries.append(
                F.entry(references, verify: verify, content: content, pins: pins, generation: generation))
            }
          }
        }
      }
    }
    return entries
  }

  static var rows: [RecordedFile?] {
    var rows: [RecordedFile?] = [nil, F.row(F.object, isPlaceholder: true), F.row(F.mirrorSite)]
    for version in versions {
      rows.append(F.row(F.object, version))
      rows.append(F.row(F.web, version, digests: []))
    }
    return rows
  }

  @Test("three questions are the most, and each is put once", arguments: [false, true], [false, true])
  func termination(checksLocal: Bool, asksFirst: Bool) {
    let planner = Planner(checksLocal: checksLocal, asksFirst: asksFirst)
    let locals: [LocalFact] = [.absent, F.file(), F.file(F.touched), F.file(F.grown)]
    let answers = Self.versions.map { RemoteFact.present($0) } + [.absent]
    let content = DigestSet([F.crcA, F.md5A, F.sha256B])
    for entry in Self.entries {
      for row in Self.rows {
        for local in locals {
          for answer in answers {
            let questions = play(planner, entry, local, row, answer: answer, content: content)
            if questions > 3 { Issue.record("\(questions) questions: \(entry) \(local) \(row as Any) \(answer)") }
          }
        }
      }
    }
  }

  /// Plays the engine; the number of questions until the decision.
  private func play(
    _ planner: Planner, _ entry: Entry, _ local: LocalFact, _ row: RecordedFile?, answer: RemoteFact,
    content: DigestSet
  ) -> Int {
    var remote = RemoteFact.notAsked
    var known = DigestSet()
    for questions in 0..<10 {
      switch planner.verdict(for: entry, local: local, recorded: row, remote: remote, localDigests: known) {
      case .decided: return questions
      case .needsRemote:
        if remote != .notAsked { return 99 }
        remote = answer
      case .needsLocalDigests(let algorithms):
        if algorithms.isSubset(of: known.algorithms) { return 99 }
        for algorithm in algorithms { known[algorithm] = content[algorithm] }
      }
    }
    return 99
  }
}
