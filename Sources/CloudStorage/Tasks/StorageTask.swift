// What tasks have in common, in the names of the Apple SDK. There they are classes; here they are protocols, so that a task
// can be shared between threads and the compiler can see that it may be.

/// What an observer is known by; opaque, and unique in the process.
public typealias StorageHandle = String

/// Something that is being done for a reference.
public protocol StorageTask: AnyObject, Sendable {
  /// How things are now.
  var snapshot: StorageTaskSnapshot { get }
}

/// A task whose course can be followed.
///
/// Handlers run on `Storage.callbackQueue` as it was when the task was made, each event after the one before it, as long as
/// that queue is serial. Between several observers of one event there is no promised order. All methods may be called from
/// any thread, handlers included.
public protocol StorageObservableTask: StorageTask {
  /// Calls `handler` for every event of that status from now on, and once soon for a state that holds already.
  ///
  /// After the task's end an observer of `success` or `failure` is still told, once. The handler is released when the task
  /// has ended and it has been told, or when it is removed. An observer of `unknown` is never called.
  @discardableResult
  func observe(
    _ status: StorageTaskStatus, handler: @escaping @Sendable (StorageTaskSnapshot) -> Void
  ) -> StorageHandle

  /// Removes one observer; nothing happens when it is gone already. Once this returns on the callback queue itself, the
  /// handler is not called any more.
  func removeObserver(withHandle handle: StorageHandle)

  /// Removes the observers of one status.
  func removeAllObservers(for status: StorageTaskStatus)

  /// Removes all observers. A completion handler is none: it is called nevertheless.
  func removeAllObservers()
}

/// A task that can be started, held and ended. Calls that make no sense in its state do nothing.
public protocol StorageTaskManagement: AnyObject, Sendable {
  /// Starts the task. Those that a reference makes have been started.
  func enqueue()
  /// Holds the task until `resume()`, with what it has received.
  func pause()
  /// Lets a held task go on.
  func resume()
  /// Ends the task with ``StorageError/cancelled``.
  func cancel()
}
