// One moment of a task. A value: what happens later does not change it.

public import Foundation

/// How a task was at one moment.
public struct StorageTaskSnapshot: Sendable {
  /// The task. A snapshot that is kept keeps it, too.
  public let task: any StorageTask
  /// What the task is for.
  public let reference: StorageReference
  /// The kind of the event that this snapshot tells of, or the task's state then.
  public let status: StorageTaskStatus
  /// Why the task failed; nil unless `status` is `failure`. Always a ``StorageError``.
  public let error: (any Error)?
  let counts: TransferCounts

  init(task: any StorageTask, reference: StorageReference, _ report: TaskReport) {
    self.task = task
    self.reference = reference
    status = report.status
    error = report.error
    counts = report.counts
  }

  /// Always nil: a download brings bytes, no metadata.
  public var metadata: StorageMetadata? { nil }

  /// The bytes that are there and those that are due, as the object is stored; `totalUnitCount` is -1 where the server names
  /// no length, and 0 before it has answered. A fresh copy at each call.
  public var progress: Progress? {
    let progress = Progress.discreteProgress(totalUnitCount: counts.total)
    progress.completedUnitCount = counts.completed
    return progress
  }
}

extension StorageTaskSnapshot: CustomStringConvertible {
  /// `<State: Progress, Progress: 10 of 20 bytes>` and the like.
  public var description: String {
    switch status {
    case .unknown: "<State: Unknown>"
    case .resume: "<State: Resume>"
    case .progress:
      "<State: Progress, Progress: \(counts.completed) of \(counts.total < 0 ? "?" : "\(counts.total)") bytes>"
    case .pause: "<State: Paused>"
    case .success: "<State: Success>"
    case .failure: "<State: Failed, Error: \(error.map { "\($0)" } ?? "none")>"
    }
  }
}

/// What is kept of an event until somebody is told: a snapshot without the task, so that a task that is never let go of by
/// a queue that never runs is not kept by itself.
struct TaskReport: Hashable, Sendable {
  var status: StorageTaskStatus
  var counts: TransferCounts
  var error: StorageError?
}
