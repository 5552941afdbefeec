// Where the bytes of one object go: a part file, memory, standard output. The other seam beside `HTTPTransport`.

/// Takes the bytes of one object in order and makes them final. Used on one thread; never shared.
///
/// Life: `position` may be more than 0 when an earlier run left bytes that may be continued; `write` any number of times,
/// `restart` whenever those bytes turn out to belong to another version; then exactly one of `commit`, `park`, `discard`.
package protocol ByteSink: AnyObject {
  /// The bytes held so far; the next `write` goes here. A sink that cannot look back (standard output) may report more
  /// than 0 only for bytes that it wrote itself.
  var position: Int64 { get }

  /// Forgets all bytes, so that `position` is 0. Throws when the sink cannot take them back.
  func restart() throws(TransferFailure)

  /// Appends bytes. Every byte is either taken or the call throws.
  func write(_ bytes: UnsafeRawBufferPointer) throws(TransferFailure)

  /// Digests of all bytes held, of the algorithms that the sink was made for.
  func digests() throws(TransferFailure) -> DigestSet

  /// Makes the bytes final under their name, after they were verified. `modified` is the time to set on the file; nil
  /// leaves the present. Returns what the file looks like now; nil for a sink that is no file.
  @discardableResult
  func commit(modified: Timestamp?) throws(TransferFailure) -> LocalStamp?

  /// Keeps the bytes for a later continuation, if the sink can; else as `discard`.
  func park()

  /// Removes the bytes. The old content of the final name, if any, stays.
  func discard()
}
