// Which shard a process is, as the engine that started it says. Pure: the environment is a parameter.

/// The variables of engines that run a program N times at once.
///
/// | engine | number | first | how many |
/// | --- | --- | :-: | --- |
/// | Kubernetes, indexed job | `JOB_COMPLETION_INDEX` | 0 | said with `auto/N` |
/// | Slurm, array | `SLURM_ARRAY_TASK_ID` | `SLURM_ARRAY_TASK_MIN` | `SLURM_ARRAY_TASK_COUNT` |
/// | Cloud Run jobs | `CLOUD_RUN_TASK_INDEX` | 0 | `CLOUD_RUN_TASK_COUNT` |
/// | AWS Batch, array | `AWS_BATCH_JOB_ARRAY_INDEX` | 0 | `AWS_BATCH_JOB_ARRAY_SIZE` |
/// | GitLab CI, `parallel` | `CI_NODE_INDEX` | 1 | `CI_NODE_TOTAL` |
/// | CircleCI, `parallelism` | `CIRCLE_NODE_INDEX` | 0 | `CIRCLE_NODE_TOTAL` |
/// | Buildkite, `parallelism` | `BUILDKITE_PARALLEL_JOB` | 0 | `BUILDKITE_PARALLEL_JOB_COUNT` |
package enum ShardVariables {
  /// Why the environment names no shard.
  package struct Problem: Error, Hashable, Sendable {
    /// One sentence.
    package let message: String
    package let hint: String
  }

  private struct Engine {
    let index: String
    /// What the first one has.
    var first = 0
    /// A variable with what the first one has.
    var firstIn: String?
    let count: String?
    /// A variable that must say 1 when it is there: steps between the numbers.
    var step: String?
  }

  private static let engines = [
    Engine(index: "JOB_COMPLETION_INDEX", count: nil),
    Engine(
      index: "SLURM_ARRAY_TASK_ID", firstIn: "SLURM_ARRAY_TASK_MIN", count: "SLURM_ARRAY_TASK_COUNT",
      step: "SLURM_ARRAY_TASK_STEP"),
    Engine(index: "CLOUD_RUN_TASK_INDEX", count: "CLOUD_RUN_TASK_COUNT"),
    Engine(index: "AWS_BATCH_JOB_ARRAY_INDEX", count: "AWS_BATCH_JOB_ARRAY_SIZE"),
    Engine(index: "CI_NODE_INDEX", first: 1, count: "CI_NODE_TOTAL"),
    Engine(index: "CIRCLE_NODE_INDEX", count: "CIRCLE_NODE_TOTAL"),
    Engine(index: "BUILDKITE_PARALLEL_JOB", count: "BUILDKITE_PARALLEL_JOB_COUNT"),
  ]

  /// The shard that the environment names.
  ///
  /// - Parameters:
  ///   - count: how many there are, when the user says it; nil = the engine's variable does.
  ///   - lookUp: the value of a variable; nil when it is not set. Empty counts as not set.
  package static func shard(count: Int?, lookUp: (String) -> String?) throws(Problem) -> Shard {
    func value(_ name: String) -> String? { lookUp(name).flatMap { $0.isEmpty ? nil : $0 } }
    let set = engines.filter { value($0.index) != nil }
    guard let engine = set.first else {
      let names = engines.map(\.index).joined(separator: ", ")
      throw Problem(
        message: "no variable says which shard this is", hint: "one of \(names) must be set; else write it: --shard 3/8"
      )
    }
    guard set.count == 1 else {
      throw Problem(
        message: "both \(set[0].index) and \(set[1].index) say which shard this is",
        hint: "unset the one that is not meant, or write the shard: --shard 3/8")
    }
    if let step = engine.step, let text = value(step), text != "1" {
      throw Problem(message: "\(step) is \(text)", hint: "number the tasks without gaps, as in --array=1-8")
    }
    func number(_ name: String) throws(Problem) -> Int {
      guard let text = value(name) else {
        throw Problem(message: "\(engine.index) is set and \(name) is not", hint: "say how many: --shard auto/8")
      }
      guard let number = text == "0" ? 0 : Shard.number(text) else {
        throw Problem(message: "\(name) is no number: \(text)", hint: "write the shard: --shard 3/8")
      }
      return number
    }
    let first = try engine.firstIn.map { name throws(Problem) in try number(name) } ?? engine.first
    let index = try number(engine.index) - first + 1
    let total: Int
    if let count {
      total = count
    } else if let name = engine.count {
      total = try number(name)
    } else {
      throw Problem(message: "\(engine.index) does not say how many there are", hint: "say it: --shard auto/8")
    }
    guard let shard = Shard(index, of: total) else {
      throw Problem(
        message: "\(engine.index) names number \(index) of \(total)",
        hint: "numbers go from 1 to the number of shards, \(Shard.most) at most")
    }
    return shard
  }
}
