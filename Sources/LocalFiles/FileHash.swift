// Digests of files that are already on the disk, for adoption, `--check` and `verify`.

import Glibc
package import TransferModel

/// Reads whole files below a root and computes their digests; keeps its buffer and contexts for the next file. Used on
/// one thread.
package final class FileHash {
  package struct Result: Hashable, Sendable {
    package var digests: DigestSet
    /// How the file looked before the first byte was read, and after the last.
    package var before: LocalStamp
    package var after: LocalStamp

    /// Whether nobody changed the file while it was read, as far as its stamp tells; else the digests mean nothing.
    package var isStable: Bool { before == after }
  }

  private let directories: DirectoryCache
  private let digest: StreamingDigest
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4_096)

  /// Throws `not_comparable` when OpenSSL refuses an algorithm.
  package init(_ algorithms: DigestAlgorithms, in directories: DirectoryCache) throws(TransferFailure) {
    self.directories = directories
    digest = try StreamingDigest(algorithms)
  }

  deinit { buffer.deallocate() }

  /// The digests of a file; nil when it is not there.
  ///
  /// - isCancelled: asked before every MiB; true throws `cancelled`.
  ///
  /// Throws `symlink_refused` for a link, `is_a_directory`, `name_conflict` for anything else that is no file, and what
  /// reading it throws.
  package func hash(
    _ path: RelativePath, isCancelled: () -> Bool = { false }
  ) throws(TransferFailure) -> Result? {
    guard let parent = try directories.parent(of: path) else { return nil }
    let stamps: (LocalStamp, LocalStamp)?
    do {
      stamps = try feed(path.name, in: parent, isCancelled)
    } catch {
      if error.errno == ENOENT { return nil }
      throw error.at(path.text).failure
    }
    guard let (before, after) = stamps else {
      throw TransferFailure(.cancelled, .cancelled, "reading \(path) was cancelled")
    }
    return Result(digests: try digest.snapshot(), before: before, after: after)
  }

  /// Feeds the file to the digest and gives its stamps; nil when cancelled.
  private func feed(
    _ name: String, in parent: Directory, _ isCancelled: () -> Bool
  ) throws(SystemError) -> (LocalStamp, LocalStamp)? {
    // O_NONBLOCK: a pipe that stands there must not make us wait for a writer.
    let file = try SystemCall.open(at: parent.number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    let before = try SystemCall.status(of: file.rawValue)
    guard before.kind == .file else {
      throw SystemError(errno: before.kind == .directory ? EISDIR : EEXIST, operation: "read as a file")
    }
    SystemCall.adviseSequential(file.rawValue)
    digest.reset()
    while true {
      if isCancelled() { return nil }
      let count = try SystemCall.read(file.rawValue, into: buffer)
      guard count > 0 else { break }
      digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
    return (before.stamp, try SystemCall.status(of: file.rawValue).stamp)
  }
}
