// Removes what runs that ended badly left behind. Which parts are worth keeping is the caller's knowledge.

import Glibc
package import TransferModel

/// Looks through directories for unfinished files (`TemporaryName`) that nobody writes to and nobody wants.
package struct Sweep {
  /// What a sweep did.
  package struct Result: Hashable, Sendable {
    /// The paths below the root that were removed.
    package var removed: [String] = []
    /// Their sizes together, in bytes.
    package var bytes: Int64 = 0
    /// How many unfinished files were left: wanted, or locked by whoever writes them.
    package var kept = 0
    /// What could not be looked at or removed; not fatal.
    package var failures: [TransferFailure] = []
  }

  private let directories: DirectoryCache
  private let start: Timestamp
  private let isWanted: (String) -> Bool

  /// - before: when this run began; what was written since, or in the second before that, is not left over. Small
  /// files are   not locked during the moment that they are unfinished, so this is what keeps them.
  /// - isWanted: told the path below the root of each unfinished file; true keeps it. `TemporaryName.part(for:)` gives
  /// the   name of a destination's part file.
  package init(_ directories: DirectoryCache, before start: Timestamp, keeping isWanted: @escaping (String) -> Bool) {
    self.directories = directories
    self.start = start
    self.isWanted = isWanted
  }

  /// Sweeps these directories, paths below the root, empty for the root itself; not what is below them. Missing ones
  /// are passed over. Meant for the holder of the root's lock.
  package func run(in paths: some Sequence<String>) -> Result {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    defer { buffer.deallocate() }
    var result = Result()
    for path in paths {
      do throws(TransferFailure) {
        guard let directory = try directories.directory(path) else { continue }
        for name in try Self.unfinished(in: directory, buffer) { remove(name, in: directory, &result) }
      } catch {
        // Where no plain directory stands nothing of ours can lie; the entry that wanted one has said so.
        if error.reason != .notADirectory, error.reason != .symlinkRefused { result.failures.append(error) }
      }
    }
    return result
  }

  /// Whether nothing can lie below a root: there is not more in it than mirror's own folder. False when that cannot be told.
  package static func isPointless(below root: RootDirectory) -> Bool {
    let holdsNothing = try? root.openDirectory("").holdsNothing { $0.elementsEqual(".mirror".utf8) }
    return holdsNothing ?? false
  }

  private static func unfinished(
    in directory: Directory, _ buffer: UnsafeMutableRawBufferPointer
  ) throws(TransferFailure) -> [String] {
    do {
      let readable = try SystemCall.open(at: directory.number, ".", O_RDONLY | O_DIRECTORY)
      var names: [String] = []
      try DirectoryListing.read(readable.rawValue, buffer) { name, _ in
        if TemporaryName.matches(name) { names.append(String(decoding: name, as: UTF8.self)) }
        return true
      }
      return names.sorted()
    } catch {
      if error.errno == ENOENT { return [] }
      throw error.at(directory.path).failure
    }
  }

  private func remove(_ name: String, in directory: Directory, _ result: inout Result) {
    let path = directory.path(of: name)
    guard !isWanted(path) else {
      result.kept += 1
      return
    }
    do {
      let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK
      let file = try SystemCall.open(at: directory.number, name, flags)
      let status = try SystemCall.status(of: file.rawValue)
      // The lock is held until the name is gone, so that nobody begins to continue it meanwhile.
      let isOld = status.stamp.modified / 1_000_000_000 < start.seconds - 1
      guard status.kind == .file, isOld, try SystemCall.tryLock(file.rawValue) else {
        result.kept += 1
        return
      }
      try SystemCall.unlink(at: directory.number, name)
      result.removed.append(path)
      result.bytes += status.stamp.size
    } catch {
      if error.errno != ENOENT { result.failures.append(error.at(path).failure) }
    }
  }
}
