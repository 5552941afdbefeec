// Puts the manifest's placeholder where an object cannot be had.

import LocalFiles
import MirrorPlan
import TransferModel

/// Reads placeholders relative to the manifest's folder.
struct PlaceholderFiles: Sendable {
  let manifestDirectory: String

  /// Copies the placeholder to the entry's destination, atomically, and returns its state row.
  func put(
    _ path: String, at entry: Entry, in directories: DirectoryCache, clocks: any Clocks
  ) throws(TransferFailure) -> RecordedFile {
    let absolute = path.hasPrefix("/") ? path : manifestDirectory + "/" + path
    let bytes = try WholeFile.read(absolute, limit: ByteCount(64 << 20))
    var options = PartialFile.Options()
    options.mode = entry.settings.mode
    let sink = try PartialFile(
      entry.destination, in: directories, digest: try StreamingDigest([.crc32c]), options: options)
    do throws(TransferFailure) {
      try bytes.withUnsafeBytes { buffer in Result { () throws(TransferFailure) in try sink.write(buffer) } }.get()
      let digests = try sink.digests()
      guard let stamp = try sink.commit(modified: nil) else {
        throw TransferFailure(.internalError, .permanent, "\(entry.destination): no file was made")
      }
      return RecordedFile(
        source: entry.sourceKey.text, version: ObjectVersion(), stamp: stamp, digests: digests,
        content: entry.content, proven: clocks.utc(), isPlaceholder: true)
    } catch {
      sink.discard()
      throw error
    }
  }
}
