// Holding, resuming and ending a download, and following its course.

import CloudStorage
import Foundation

/// Follows a download with observers, as the Apple SDK's guide does it, and calls `done` at its end.
func follow(
  _ task: StorageDownloadTask, say: @escaping @Sendable (String) -> Void, done: @escaping @Sendable () -> Void
) {
  task.observe(.resume) { _ in say("started") }
  task.observe(.pause) { _ in say("paused") }
  task.observe(.progress) { snapshot in
    guard let progress = snapshot.progress else { return }
    say("\(progress.completedUnitCount) of \(progress.totalUnitCount) bytes")
  }
  task.observe(.success) { _ in
    say("done")
    done()
  }
  task.observe(.failure) { snapshot in
    if let error = snapshot.error { say(explain(error)) }
    done()
  }
}

/// Looks at the first bytes of a download in peace, before it goes on.
func saveWithARest(_ reference: StorageReference, to file: URL) async -> [StorageTaskStatus] {
  let task = reference.write(toFile: file)
  var course: [StorageTaskStatus] = []
  for await snapshot in task.snapshots {
    if course.last != snapshot.status { course.append(snapshot.status) }
    switch snapshot.status {
    case .progress where !course.contains(.pause): task.pause()
    case .pause: task.resume()
    default: break
    }
  }
  return course
}

/// Gives up on an object that turns out to be larger than we like.
func saveUnlessLarge(_ reference: StorageReference, to file: URL, limit: Int64) -> StorageDownloadTask {
  let task = reference.write(toFile: file)
  task.observe(.progress) { snapshot in
    guard let progress = snapshot.progress, let task = snapshot.task as? StorageDownloadTask else { return }
    // An observer is told at once where a task stands, which may be before its size is known.
    guard progress.totalUnitCount > 0 else { return }
    if progress.totalUnitCount > limit { task.cancel() }
    // One look at the size is enough.
    task.removeAllObservers(for: .progress)
  }
  return task
}
