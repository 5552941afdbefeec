// What stands at destinations, and what the state says of them.

package import LocalFiles
package import MirrorPlan
package import TransferModel

/// The local side of one run, read only. Any thread; every call may wait for the disk.
package struct LocalSurvey: Sendable {
  /// nil when the root does not exist yet: nothing is local then.
  private let directories: DirectoryCache?
  private let survey: RepeatedSurvey?
  let state: StateStore?

  package init(directories: DirectoryCache?, state: StateStore?) {
    self.directories = directories
    survey = directories.map(RepeatedSurvey.init)
    self.state = state
  }

  /// What stands there. Links are seen, never followed.
  package func fact(at destination: RelativePath) throws(TransferFailure) -> LocalFact {
    guard let status = try survey?.survey(destination) else { return .absent }
    switch status.kind {
    case .file: return .file(status.stamp, mode: status.mode & 0o777)
    case .directory: return .directory
    case .symlink: return .symlink
    case .other: return .other
    }
  }

  /// The files below a folder; nil when there are more than `limit`, or one whose name no destination can have, or some
  /// that cannot be looked at.
  func files(below folder: RelativePath, limit: Int) -> [RelativePath]? {
    guard let root = directories?.root, let walk = try? DirectoryWalk(root, below: folder) else { return nil }
    var files: [RelativePath] = []
    while let step = walk.next() {
      guard case .entry(let entry) = step else { return nil }
      guard entry.status.kind != .directory else { continue }
      guard files.count < limit, let path = entry.path else { return nil }
      files.append(path)
    }
    return files
  }

  package func row(at destination: RelativePath) throws(TransferFailure) -> StateRow? {
    try state?.row(for: destination)
  }

  /// The rows of these destinations, in their order; an array of nils when there is no state.
  package func rows(at destinations: [RelativePath]) throws(TransferFailure) -> [StateRow?] {
    try state?.rows(for: destinations) ?? Array(repeating: nil, count: destinations.count)
  }

  /// Reads the file. nil when it has gone.
  ///
  /// - Parameter isCancelled: asked now and then; true ends the reading with `cancelled`.
  package func digests(
    of destination: RelativePath, _ algorithms: DigestAlgorithms, isCancelled: () -> Bool
  ) throws(TransferFailure) -> (digests: DigestSet, stamp: LocalStamp)? {
    guard let directories else { return nil }
    for _ in 0..<3 {
      let hash = try FileHash(algorithms, in: directories)
      guard let result = try hash.hash(destination, isCancelled: isCancelled) else { return nil }
      if result.isStable { return (result.digests, result.after) }
    }
    throw TransferFailure(
      .ioError, .local, "\(destination): the file is being changed while it is read",
      hint: "Let nothing but mirror write below the root, or run when the other program is done.")
  }
}
