// What a task can be seen to be, as the Apple SDK numbers it.

/// The state of a task, and the kind of an event that an observer asks for.
public enum StorageTaskStatus: Int, Sendable, CaseIterable {
  /// Not begun. Nothing is ever observed under it.
  case unknown = 0
  /// The task has started, or goes on after a pause.
  case resume = 1
  /// More bytes have come.
  case progress = 2
  /// The task is at rest until `resume()`.
  case pause = 3
  /// Everything has come and is proven.
  case success = 4
  /// The task has ended without success; a cancelled one, too.
  case failure = 5
}
