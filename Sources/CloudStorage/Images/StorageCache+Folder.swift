// Opens a cache that somebody names, for looking after it. Making one is `StorageCache.init`.

import CurlTransport
import Foundation
import LocalFiles
package import TransferModel

extension StorageCache {
  /// The cache in a folder that is there already. It has no limits of its own, so `prune` removes what it is told to and
  /// nothing else.
  ///
  /// A folder is taken for a cache when it is empty or holds an object of one: what else lies in a folder that a slip of the
  /// hand named is never looked after. Throws a failure of class `local` when there is no such folder or it cannot be read,
  /// `unexpectedContent` when it is none.
  package static func existing(
    path: String, clocks: any Clocks = SystemClocks()
  ) throws(TransferFailure) -> StorageCache {
    do {
      _ = try RootDirectory(opening: path)
    } catch {
      var failure = error
      if failure.reason != .permissionDenied { failure.hint = hint }
      throw failure
    }
    let cache = StorageCache(path: path, limits: Limits(size: .max, age: .seconds(1 << 40)), clocks: clocks)
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
      throw TransferFailure(.ioError, .local, "cannot read \(path)", hint: "check owner and mode of the directory")
    }
    guard names.isEmpty || !cache.entries().isEmpty else {
      throw TransferFailure(
        .unexpectedContent, .permanent, "\(path) is no cache: it holds other files and no cached object",
        hint: hint)
    }
    return cache
  }

  private static let hint = "name the folder that was given to StorageCache"
}
