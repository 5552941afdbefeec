// How downloads are made, whatever the object. A value.

package import TransferModel

/// What holds for all downloads that are made with the same settings.
package struct DownloadTerms: Sendable {
  /// How much must be proven about the bytes.
  package enum Proof: Sendable {
    /// By the strongest facts there are; the length at least.
    case strongest
    /// By a digest, or not at all.
    case digest
    /// The length is enough.
    case length
  }

  package var maxSize: Int64?
  package var proof: Proof
  /// Whether the file gets the object's own time.
  package var keepsModified: Bool
  package var timeouts: TransferTimeouts
  /// From a download's first request; nil = none.
  package var deadline: Duration?
  package var retry: RetryPolicy
  /// Whether bytes of a download that failed or was cancelled are kept for a later run, when that could continue them.
  package var keepsParts: Bool
  /// When several streams may fetch an object side by side; nil = never.
  package var ranges: RangePolicy?
  package var progress: TransferProgress?

  package init(
    maxSize: Int64? = nil, proof: Proof = .strongest, keepsModified: Bool = true,
    timeouts: TransferTimeouts = TransferTimeouts(), deadline: Duration? = nil, retry: RetryPolicy = RetryPolicy(),
    keepsParts: Bool = true, ranges: RangePolicy? = nil, progress: TransferProgress? = nil
  ) {
    self.maxSize = maxSize
    self.proof = proof
    self.keepsModified = keepsModified
    self.timeouts = timeouts
    self.deadline = deadline
    self.retry = retry
    self.keepsParts = keepsParts
    self.ranges = ranges
    self.progress = progress
  }
}
