// Taking names away below the root, for pruning. Whether something may go is decided by the planner; here it is only
// made sure that what goes is what was looked at.

import Glibc
package import TransferModel

extension DirectoryCache {
  /// Removes a file or a link, if it still looks as it did when the decision was made; nil = however it looks.
  ///
  /// False when nothing stands there. Throws `facts_moved` when something else does, `is_a_directory`, and the
  /// failures of `survey`. Between the look and the removal there is a moment that no system call can close.
  package func remove(_ path: RelativePath, expecting stamp: LocalStamp?) throws(TransferFailure) -> Bool {
    guard let parent = try parent(of: path), try stillStands(path, expecting: stamp) else { return false }
    return try unlessMissing(path) { () throws(SystemError) in
      try SystemCall.unlink(at: parent.number, path.name)
    }
  }

  /// As `remove`, but moves the file to the same path below `folder` in mirror's own folder (`.mirror/<folder>/…`),
  /// from where it can be taken back. `folder` is one component.
  package func moveToTrash(
    _ path: RelativePath, folder: String, expecting stamp: LocalStamp?
  ) throws(TransferFailure) -> Bool {
    guard let parent = try parent(of: path), try stillStands(path, expecting: stamp) else { return false }
    let trash = [RootLock.directoryName, folder, path.parentText].compactMap(\.self).joined(separator: "/")
    let target = try madeDirectory(trash)
    return try unlessMissing(path) { () throws(SystemError) in
      try SystemCall.rename(at: parent.number, path.name, to: target.number, path.name)
    }
  }

  /// Removes a directory if it is empty; false when it is not, or not there, or when something else is.
  package func removeDirectoryIfEmpty(_ path: RelativePath) throws(TransferFailure) -> Bool {
    let parent: Directory
    do throws(TransferFailure) {
      guard let found = try self.parent(of: path) else { return false }
      parent = found
    } catch {
      // A file has taken the place of a directory above it.
      guard error.reason == .notADirectory || error.reason == .symlinkRefused else { throw error }
      return false
    }
    do {
      try SystemCall.unlink(at: parent.number, path.name, flags: AT_REMOVEDIR)
    } catch {
      if [ENOENT, ENOTEMPTY, EEXIST, ENOTDIR].contains(error.errno) { return false }
      throw error.at(path.text).failure
    }
    forget(path.text)
    return true
  }

  /// Removes a directory with the directories in it, if there is nothing else below it; else leaves it as it is, and false.
  package func removeEmptyTree(_ path: RelativePath) throws(TransferFailure) -> Bool {
    let walk = try DirectoryWalk(root, below: path)
    var folders: [RelativePath] = []
    while let step = walk.next() {
      guard case .entry(let entry) = step, entry.status.kind == .directory, let folder = entry.path else {
        return false
      }
      folders.append(folder)
    }
    for folder in folders.reversed() {
      guard try removeDirectoryIfEmpty(folder) else { return false }
    }
    return try removeDirectoryIfEmpty(path)
  }

  private func stillStands(_ path: RelativePath, expecting stamp: LocalStamp?) throws(TransferFailure) -> Bool {
    guard let status = try survey(path) else { return false }
    guard status.kind != .directory else {
      throw SystemError(errno: EISDIR, operation: "remove as a file", path: path.text).failure
    }
    guard stamp == nil || stamp == status.stamp else {
      throw TransferFailure(
        .factsMoved, .local, "\(path) has changed since it was looked at and was not removed",
        hint: "run again, so that the decision is made on what is there now")
    }
    return true
  }

  private func unlessMissing(
    _ path: RelativePath, _ body: () throws(SystemError) -> Void
  ) throws(TransferFailure) -> Bool {
    do {
      try body()
      return true
    } catch {
      if error.errno == ENOENT { return false }
      throw error.at(path.text).failure
    }
  }
}
