// A sink that several streams fill side by side, each its own stretch. Who fills which stretch is decided elsewhere
// (`FileTransfer.RangePlan`).

/// Takes the bytes of one object at any place. Used on one thread, like every sink.
///
/// `position` is the end of the stretch that begins at 0. The digests follow it: bytes that come just there are hashed as
/// they pass, and those of a later stretch once `position` has passed it.
package protocol DivisibleSink: ByteSink {
  /// What is held, in order, without overlap; neighbours are one stretch.
  var stretches: [Range<Int64>] { get }

  /// Writes bytes that are not held yet. Throws `internal_error` when some of them are.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(TransferFailure)

  /// Brings the digests on towards `position`, reading at most `limit` bytes back; true when that was not enough. What is
  /// left is read by `digests`.
  func catchUp(atMost limit: Int64) throws(TransferFailure) -> Bool

  /// Forgets what lies beyond `position`.
  func keepFirstStretch() throws(TransferFailure)

  /// What brings the bytes that were written so far onto the disk; callable from any thread, also after this sink's end.
  /// nil when nothing was written.
  func syncing() throws(TransferFailure) -> (@Sendable () throws(TransferFailure) -> Void)?
}
