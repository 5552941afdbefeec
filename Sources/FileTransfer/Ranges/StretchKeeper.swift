// Who remembers what a divided part holds. The engine's is its state.

package import TransferModel

/// Writes down, for a later run, which stretches of a part are there. A download is not divided before that is durable:
/// until then a later run takes the part for whole from its beginning to its end.
package protocol StretchKeeper: Sendable {
  /// Syncs by `syncing`, then writes the stretches down, on a thread of its own; `done` is called on any thread: whether
  /// that succeeded. What is written after `forget` or a later call is dropped.
  func keep(
    _ version: ObjectVersion, _ stretches: [Range<Int64>],
    after syncing: @escaping @Sendable () throws(TransferFailure) -> Void, done: @escaping @Sendable (Bool) -> Void)

  /// The same before it returns; false = it could not be written.
  func keepNow(
    _ version: ObjectVersion, _ stretches: [Range<Int64>],
    after syncing: @escaping @Sendable () throws(TransferFailure) -> Void
  ) -> Bool

  /// What was written down is of no use any more: the part is about to be emptied.
  func forget()

  /// The part has its final name: what is still to be written is dropped.
  func end()
}
