// An owner of downloads whose answers are closures, so that a test changes just the one that it is about.

import FileTransfer
import LocalFiles
import TransferModel

/// Set up before its download begins, which is what makes it safe.
final class ClosureOwner: DownloadOwner, @unchecked Sendable {
  var onOpen: (DigestAlgorithms) throws(TransferFailure) -> any ByteSink
  var onAdvance: (Int64, Int64?) -> Void = { _, _ in }
  var onResumable: (ObjectVersion) -> Void = { _ in }
  var onWait: (TransferFailure, Duration) -> Void = { _, _ in }
  var onBody: (Int64?) -> TransferFailure? = { _ in nil }
  var keeper: (any StretchKeeper)?

  init(_ onOpen: @escaping (DigestAlgorithms) throws(TransferFailure) -> any ByteSink) { self.onOpen = onOpen }

  func openSink(_ algorithms: DigestAlgorithms, _: ObjectVersion) throws(TransferFailure) -> any ByteSink {
    try onOpen(algorithms)
  }

  func becameResumable(_ version: ObjectVersion) { onResumable(version) }
  func advanced(to position: Int64, of total: Int64?) { onAdvance(position, total) }
  func refusal(ofBody bytes: Int64?) -> TransferFailure? { onBody(bytes) }
  func waits(after failure: TransferFailure, _ wait: Duration) { onWait(failure, wait) }
  func makeKeeper() -> (any StretchKeeper)? { keeper }
}

extension DownloadSpec {
  /// The owner of a spec that a harness made.
  var closures: ClosureOwner {
    guard let owner = owner as? ClosureOwner else { preconditionFailure("the harness makes this owner") }
    return owner
  }
}
