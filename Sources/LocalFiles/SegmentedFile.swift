// One large object written as several stretches at once. One stretch at a time, and continuing in a later run, is
// `PartialFile`; where to cut is decided elsewhere.

import Glibc
package import TransferModel

/// A file whose segments are written side by side and which gets its final name when all of it is there.
///
/// Sendable: the descriptor never changes and every segment writes its own bytes; what is complete is counted under a
/// `Lock`. The unfinished file has full length and holes, so a later run could not tell what it holds: it is never
/// continued, and removed when this object ends without `commit`.
package final class SegmentedFile: Sendable {
  private struct State {
    var complete: Int64 = 0
    var isEnded = false
  }

  package let destination: RelativePath
  /// The whole length in bytes.
  package let size: Int64
  private let directory: Directory
  private let name = TemporaryName.unique()
  private let mode: UInt16?
  private let durable: Bool
  private let descriptor: FileDescriptor
  private let state = Lock(State())

  /// Makes the unfinished file. `resume` and `bufferLimit` of the options mean nothing here. Throws as `PartialFile`.
  package init(
    _ destination: RelativePath, in directories: DirectoryCache, size: Int64, options: PartialFile.Options
  ) throws(TransferFailure) {
    self.destination = destination
    self.size = size
    durable = options.durable
    let found = try PartialFile.modeOfReplaced(destination, directories, options.replaced)
    mode = options.mode ?? found
    directory = try directories.makeParent(of: destination)
    do throws(SystemError) {
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
      let creationMode = mode_t((mode ?? 0o666) & 0o777 | 0o600)
      descriptor = try SystemCall.open(at: directory.number, name, flags, mode: creationMode)
      // Only a sweep by another run would ask for it.
      _ = try SystemCall.tryLock(descriptor.rawValue)
      try SystemCall.truncate(descriptor.rawValue, to: size)
    } catch {
      throw error.at(destination.text).failure
    }
  }

  // Also runs when `init` throws after the file was made.
  deinit { discard() }

  /// The sink of one segment, to be used on one thread. Segments must not overlap. Their digests combine by
  /// `CRC32C.combine`.
  package func segment(offset: Int64, length: Int64, digest: StreamingDigest) -> SegmentSink {
    precondition(offset >= 0 && length >= 0 && offset + length <= size, "a segment lies within its file")
    return SegmentSink(self, offset: offset, length: length, digest: digest)
  }

  /// Puts the file in place. Throws `truncated` when not all segments were committed.
  package func commit(modified: Timestamp?) throws(TransferFailure) -> FileStamp {
    let complete = state.withLock { $0.complete }
    guard complete == size else {
      throw TransferFailure(
        .truncated, .integrity, "only \(complete) of \(size) bytes of \(destination) have been written")
    }
    do throws(SystemError) {
      let form = FinalForm(size: size, mode: mode, modified: modified, durable: durable)
      let stamp = try form.apply(to: descriptor.rawValue)
      try SystemCall.duplicate(descriptor.rawValue).close()
      try SystemCall.rename(at: directory.number, name, to: directory.number, destination.name)
      state.withLock { $0.isEnded = true }
      SystemCall.unlock(descriptor.rawValue)
      if durable { try directory.sync() }
      return stamp
    } catch {
      throw error.at(destination.text).failure
    }
  }

  /// Removes the unfinished file; nothing after `commit`. Segments that still write then write to nowhere.
  package func discard() {
    let wasEnded = state.withLock { state in
      defer { state.isEnded = true }
      return state.isEnded
    }
    if !wasEnded { try? SystemCall.unlink(at: directory.number, name) }
  }

  fileprivate func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(TransferFailure) {
    do {
      try SystemCall.writeAll(descriptor.rawValue, bytes, at: offset)
    } catch {
      throw error.at(destination.text).failure
    }
  }

  fileprivate func complete(_ length: Int64) { state.withLock { $0.complete += length } }
}

/// Writes one segment of a `SegmentedFile`; `position` counts from the segment's begin. Used on one thread.
package final class SegmentSink: ByteSink {
  package private(set) var position: Int64 = 0
  private let file: SegmentedFile
  private let offset: Int64
  private let length: Int64
  private let digest: StreamingDigest
  private var isComplete = false

  fileprivate init(_ file: SegmentedFile, offset: Int64, length: Int64, digest: StreamingDigest) {
    (self.file, self.offset, self.length, self.digest) = (file, offset, length, digest)
    digest.reset()
  }

  package func restart() {
    position = 0
    digest.reset()
  }

  /// Throws `size_mismatch` for a byte beyond the segment, which another segment owns.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(TransferFailure) {
    guard !isComplete, position + Int64(bytes.count) <= length else {
      throw TransferFailure(
        .sizeMismatch, .integrity, "more than the \(length) bytes that were asked for came for \(file.destination)")
    }
    try file.write(bytes, at: offset + position)
    digest.update(bytes)
    position += Int64(bytes.count)
  }

  package func digests() throws(TransferFailure) -> DigestSet { try digest.snapshot() }

  /// Counts the segment as complete; the file's own `commit` makes it final. Throws `truncated` when bytes are missing.
  package func commit(modified: Timestamp?) throws(TransferFailure) {
    guard position == length else {
      throw TransferFailure(
        .truncated, .integrity, "only \(position) of \(length) bytes of a segment of \(file.destination) came")
    }
    if !isComplete { file.complete(length) }
    isComplete = true
  }

  package func park() {}
  package func discard() {}
}
