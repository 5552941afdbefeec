// The local file that a URL names, as a folder and a name in it.

import Foundation
import LocalFiles
import TransferModel

/// Where a download to a file puts its bytes.
struct FileDestination: Hashable, Sendable {
  /// The folder, as it was given; it may be missing yet. Its own path may go through links: it is the user's word.
  let folder: String
  let name: RelativePath

  /// Takes `file:` URLs, and URLs without a scheme, whose path is a file's, relative to the current directory unless it
  /// begins with a slash.
  ///
  /// Throws `invalidArgument` for any other URL, and for one that names no file.
  init(_ url: URL) throws(StorageError) {
    if let scheme = url.scheme, scheme.lowercased() != "file" {
      throw .invalidArgument(message: "\(scheme): is no scheme of a local file; use a file: URL.")
    }
    let path = url.path
    var bytes = Array(path.utf8)
    guard !bytes.contains(0) else { throw .invalidArgument(message: "A file's path cannot have a NUL in it.") }
    while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
    let last = slash.map { Array(bytes[($0 + 1)...]) } ?? bytes
    do {
      name = try RelativePath(String(decoding: last, as: UTF8.self))
    } catch {
      throw .invalidArgument(
        message: "\(path.isEmpty ? "the empty path" : path) names no file to write (\(error.rawValue)).")
    }
    folder = slash.map { $0 == 0 ? "/" : String(decoding: bytes[..<$0], as: UTF8.self) } ?? "."
  }

  /// The sink: a part file beside the final name, replaced atomically. Makes the folder when it is missing.
  func sink(_ algorithms: DigestAlgorithms) throws(TransferFailure) -> PartialFile {
    let root = try RootDirectory(opening: folder, creating: true)
    return try PartialFile(
      name, in: DirectoryCache(root, capacity: 1), digest: try StreamingDigest(algorithms))
  }
}
