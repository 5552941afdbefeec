// The whole engine against a model: thousands of histories, the same ones for the same seeds.

import Foundation
import Testing
import TransferModel

/// `MIRROR_MODEL_SEQUENCES=20000 swift test --filter HistoryTests` plays that many; `MIRROR_MODEL_SEED=7` plays that one
/// alone and tells its story.
@Suite(.serialized) struct HistoryTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let count = environment["MIRROR_MODEL_SEQUENCES"].flatMap(Int.init) ?? 300
  private static let only = environment["MIRROR_MODEL_SEED"].flatMap(UInt64.init)
  /// Failures that are told of; more say nothing new.
  private static let enough = 5

  @Test func `whatever happens, the tree is as the manifest wants it or the report says why not`() async throws {
    if let seed = Self.only {
      let sequence = try ModelSequence(seed: seed)
      do {
        try await sequence.play()
        print(sequence.story.joined(separator: "\n"))
      } catch {
        Issue.record("seed \(seed):\n\(error)")
      }
      return
    }
    let first = Self.environment["MIRROR_MODEL_FIRST"].flatMap(UInt64.init) ?? 1
    let (next, failures) = (Lock(first), Lock<[String]>([]))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask {
          while failures.withLock({ $0.count }) < Self.enough {
            let seed = next.withLock { next in
              defer { next += 1 }
              return next
            }
            guard seed < first + UInt64(Self.count) else { return }
            do {
              try await ModelSequence(seed: seed).play()
            } catch {
              failures.withLock { $0.append("MIRROR_MODEL_SEED=\(seed)\n\(error)") }
            }
          }
        }
      }
    }
    for failure in failures.withLock({ $0 }) { Issue.record("\(failure)") }
  }
}
