// What can be wrong with bytes that are declared to be gzip. Finding it out is `GzipDecoder`.

package import TransferModel

/// Why bytes are not a whole gzip stream.
package enum GzipFault: Error, Hashable, Sendable, CaseIterable {
  /// They do not begin with 1F 8B.
  case notGzip
  /// A compression method other than deflate, or flags that RFC 1952 section 2.3.1.2 wants refused.
  case unsupported
  /// The checksum of a header does not fit.
  case headerChecksum
  /// The compressed data mean nothing.
  case damagedData
  /// The CRC-32 or the length of a member's content does not fit.
  case contentChecksum
  /// They end before the stream does; no bytes at all are this, too.
  case truncated
  /// Something other than another member or zeros follows the last member.
  case trailingBytes

  /// The failure of the item, of class `permanent`: the stored bytes were verified, and more attempts bring the same.
  package func failure(at place: String) -> TransferFailure {
    TransferFailure(
      .decodeFailed, .permanent, "\(place): stored as gzip, but \(explanation)",
      hint: "use `content: stored` to keep the bytes as they are, or have the object uploaded anew")
  }

  private var explanation: String {
    switch self {
    case .notGzip: "the bytes do not begin as gzip does"
    case .unsupported: "with a compression method or flags that no one has defined"
    case .headerChecksum: "the checksum of its header does not fit"
    case .damagedData: "the compressed data are damaged"
    case .contentChecksum: "the checksum or length of what it holds does not fit"
    case .truncated: "the bytes end before the gzip stream does"
    case .trailingBytes: "other bytes follow the gzip stream"
    }
  }
}
