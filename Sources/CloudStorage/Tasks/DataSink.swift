// The sink for bytes that the caller wants as `Data`.

import Foundation
import LocalFiles
import TransferModel

/// Holds the bytes of one object. Used on one transfer thread; `take` once, after its end.
///
/// How many bytes may come is decided before they reach it (`DownloadSpec.maxSize`, `DecodingSink`).
final class DataSink: ByteSink {
  /// What a server says about a length is believed up to here.
  private static let largestReservation: Int64 = 64 << 20

  private var data = Data()
  private let digest: StreamingDigest

  /// - expected: the length that is declared; nil = unknown.
  init(expecting expected: Int64?, _ algorithms: DigestAlgorithms) throws(TransferFailure) {
    digest = try StreamingDigest(algorithms)
    if let expected, expected > 0 { data.reserveCapacity(Int(min(expected, Self.largestReservation))) }
  }

  /// The bytes, which leave the sink.
  func take() -> Data {
    defer { data = Data() }
    return data
  }

  var position: Int64 { Int64(data.count) }

  func restart() {
    data.removeAll(keepingCapacity: true)
    digest.reset()
  }

  func write(_ bytes: UnsafeRawBufferPointer) {
    data.append(contentsOf: bytes)
    digest.update(bytes)
  }

  func digests() throws(TransferFailure) -> DigestSet { try digest.snapshot() }

  @discardableResult
  func commit(modified: Timestamp?) -> LocalStamp? { nil }

  func park() { discard() }

  func discard() {
    data = Data()
    digest.reset()
  }
}
