// The sink for standard output: bytes that cannot be taken back.

import Glibc
package import TransferModel

/// Writes the bytes of one object to an open descriptor as they come. Used on one thread.
///
/// What was written before a failure stays written, so only the exit status tells the reader whether the bytes were
/// whole.
package final class DescriptorSink: ByteSink {
  package private(set) var position: Int64 = 0
  private let descriptor: Int32
  private let name: String
  private let digest: StreamingDigest

  /// - descriptor: is not closed, and outlives the sink; SIGPIPE must be ignored by the process.
  /// - name: what to call it in messages.
  /// - digest: is reset here and belongs to this sink until its end.
  package init(_ descriptor: Int32 = STDOUT_FILENO, name: String = "standard output", digest: StreamingDigest) {
    self.descriptor = descriptor
    self.name = name
    self.digest = digest
    digest.reset()
  }

  /// Throws `changed_during_transfer` once bytes were written: they cannot be taken back.
  package func restart() throws(TransferFailure) {
    guard position == 0 else {
      throw TransferFailure(
        .changedDuringTransfer, .permanent,
        "the transfer has to begin anew, but \(position) bytes are already on \(name)",
        hint: "download to a file, which can begin anew")
    }
  }

  package func write(_ bytes: UnsafeRawBufferPointer) throws(TransferFailure) {
    do {
      try SystemCall.writeAll(descriptor, bytes)
    } catch {
      throw error.at(name).failure
    }
    digest.update(bytes)
    position += Int64(bytes.count)
  }

  package func digests() throws(TransferFailure) -> DigestSet { try digest.snapshot() }

  package func commit(modified: Timestamp?) {}
  package func park() {}
  package func discard() {}
}
