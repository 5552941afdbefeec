// The other side of a download.

package import TransferModel

/// Who ordered a download, and is asked and told about it; always on the transfer's thread.
package protocol DownloadOwner: AnyObject, Sendable {
  /// Makes the sink for bytes of that version, computing at least these digests of them. Called again, after the first sink
  /// was discarded, only when the object was replaced by one that is stored in another coding.
  func openSink(_ algorithms: DigestAlgorithms, _ version: ObjectVersion) throws(TransferFailure) -> any ByteSink

  /// The sink holds enough bytes of a version that can be continued, so that a later run may do so even if this one is
  /// killed. Default: nothing.
  func becameResumable(_ version: ObjectVersion)

  /// Bytes have been taken: how many of the stored bytes are there now, and of how many; nil = the server names no length.
  /// Less than before after a start from zero. Default: nothing.
  func advanced(to position: Int64, of total: Int64?)

  /// The head of a body has come, and not a byte was taken yet; once an attempt. Told how many bytes will come; nil = the
  /// server does not say. A failure ends the download with it. Default: none.
  func refusal(ofBody bytes: Int64?) -> TransferFailure?

  /// A wait begins: why, and how long. Default: nothing.
  func waits(after failure: TransferFailure, _ wait: Duration)

  /// What writes down what a divided part holds; nil = a part that was divided is not kept. Default: nil.
  func makeKeeper() -> (any StretchKeeper)?
}

extension DownloadOwner {
  package func becameResumable(_ version: ObjectVersion) {}
  package func advanced(to position: Int64, of total: Int64?) {}
  package func refusal(ofBody bytes: Int64?) -> TransferFailure? { nil }
  package func waits(after failure: TransferFailure, _ wait: Duration) {}
  package func makeKeeper() -> (any StretchKeeper)? { nil }
}
