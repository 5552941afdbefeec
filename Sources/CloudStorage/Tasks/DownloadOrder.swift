// What one task downloads and where to: everything that is decided before its transfer begins.

import FileTransfer
import Foundation
import LocalFiles
import TransferModel

/// Bytes of one object, into memory or into a file.
struct DownloadOrder: Sendable {
  enum Target: Sendable {
    /// At most that many bytes, stored and decoded.
    case memory(maxSize: Int64)
    case file(FileDestination)
  }

  let operation: StorageOperation
  let target: Target

  var maxSize: Int64? {
    if case .memory(let maxSize) = target { return maxSize }
    return nil
  }

  /// The download, and where its bytes are found afterwards if they went into memory.
  ///
  /// An object that is stored as gzip is received as such, verified, and put in place decoded, as Apple's system libraries
  /// do it.
  func spec(_ memory: Lock<DataSink?>, advanced: @escaping @Sendable (Int64, Int64?) -> Void) -> DownloadSpec {
    DownloadSpec(
      endpoints: [operation], owner: Owner(self, memory, advanced: advanced),
      terms: Shared(
        DownloadTerms(
          maxSize: maxSize, keepsModified: false, timeouts: operation.service.timeouts, retry: operation.retry,
          keepsParts: false)))
  }

  private final class Owner: DownloadOwner {
    private let order: DownloadOrder
    private let memory: Lock<DataSink?>
    private let tell: @Sendable (Int64, Int64?) -> Void

    init(_ order: DownloadOrder, _ memory: Lock<DataSink?>, advanced tell: @escaping @Sendable (Int64, Int64?) -> Void)
    {
      self.order = order
      self.memory = memory
      self.tell = tell
    }

    func openSink(_ algorithms: DigestAlgorithms, _ version: ObjectVersion) throws(TransferFailure) -> any ByteSink {
      let isCoded = StoredEncoding(contentEncoding: version.contentEncoding) == .gzip
      let sink: any ByteSink
      switch order.target {
      case .memory:
        let data = try DataSink(expecting: isCoded ? nil : version.size, algorithms)
        memory.withLock { $0 = data }
        sink = data
      case .file(let destination):
        sink = try destination.sink(algorithms)
      }
      guard isCoded else { return sink }
      return try DecodingSink(
        into: sink, place: order.operation.servedBy, digest: try StreamingDigest(algorithms), limit: order.maxSize)
    }

    func advanced(to position: Int64, of total: Int64?) { tell(position, total) }
  }

  /// The public error of a download that failed.
  func error(_ failure: TransferFailure, _ result: DownloadResult) -> StorageError {
    guard failure.reason == .sizeLimitExceeded, let maxSize else { return operation.error(failure) }
    return .downloadSizeExceeded(total: result.excessSize ?? maxSize + 1, maxSize: maxSize)
  }
}
