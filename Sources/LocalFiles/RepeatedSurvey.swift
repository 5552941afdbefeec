// What stands at many names of one folder, asked one after the other. `DirectoryCache.survey` is the answer to one question.

package import TransferModel

/// Answers as `DirectoryCache.survey`, but of a folder that had nothing in it, or was not there, when it was looked at, it
/// says so without asking again: ten thousand new files need not be looked for one by one.
///
/// What somebody puts there later is not seen. So it is only for those who will replace nothing where they saw nothing
/// (`PartialFile.Options.replaced`), and ask for a name before they put something there, not after.
///
/// Sendable: the memory is under a `Lock`.
package final class RepeatedSurvey: Sendable {
  /// So many names of a folder are asked for one by one before the folder is read.
  private static let patience = 8

  private struct Latest {
    /// Empty for the root.
    var folder = ""
    /// Names of it that were asked for, nothing standing at any of them; negative once something stood there.
    var questions = 0
    var isVacant = false
  }

  private let directories: DirectoryCache
  private let latest = Lock(Latest())

  package init(_ directories: DirectoryCache) { self.directories = directories }

  /// What stands at a path, or nil. Throws as `DirectoryCache.survey`.
  package func survey(_ path: RelativePath) throws(TransferFailure) -> FileStatus? {
    let isKnown = latest.withLock { latest in
      if Self.lies(path.text, in: latest.folder) { return latest.isVacant }
      latest = Latest(folder: path.parentText ?? "")
      return false
    }
    if isKnown { return nil }
    let status = try directories.survey(path)
    let mayBeVacant = latest.withLock { latest in
      latest.questions = status == nil && latest.questions >= 0 ? latest.questions + 1 : -1
      return latest.questions == Self.patience
    }
    guard mayBeVacant, directories.isVacant(parentOf: path) else { return status }
    latest.withLock { latest in
      if Self.lies(path.text, in: latest.folder) { latest.isVacant = true }
    }
    return status
  }

  /// Whether a file is directly in that folder.
  private static func lies(_ path: String, in folder: String) -> Bool {
    var path = path
    var folder = folder
    return path.withUTF8 { path in
      folder.withUTF8 { folder in
        let slash = path.lastIndex(of: UInt8(ascii: "/")) ?? 0
        return slash == folder.count && path[..<slash].elementsEqual(folder)
      }
    }
  }
}

extension DirectoryCache {
  /// Whether nothing is in the folder of that file but what is mirror's own, or it is not there; false when that cannot be
  /// told.
  fileprivate func isVacant(parentOf path: RelativePath) -> Bool {
    do {
      guard let parent = try parent(of: path) else { return true }
      return try parent.holdsNothing()
    } catch {
      return false
    }
  }
}
