// How a generation is begun, put in the place of the one before, and given up: each a step that a crash leaves done or undone.

import Glibc
package import TransferModel

extension GenerationStore {
  /// Sets right what a run left that ended between two steps. Call it before anything else of this file.
  package func recover() throws(TransferFailure) {
    // The folder that a root was before its first flip, which was to become a generation.
    if exists(Self.flip), case .generation(let current) = Self.standing(layout) {
      try step { () throws(SystemError) in
        try SystemCall.renameOntoNothing(at: store, Self.flip, to: store, Self.name(of: max(0, current - 1)))
      }
    }
    for name in try names() where name == Self.cloning || name == Self.flip || name.hasPrefix(Self.retired) {
      try remove(name)
    }
    // Complete, and never shown: it is looked at once more, as if it were still being built.
    guard let last = try generations().last else { return }
    let shown: Int? = if case .generation(let number) = Self.standing(layout) { number } else { nil }
    guard last > shown ?? -1, !exists(Self.next) else { return }
    try step { () throws(SystemError) in
      try SystemCall.renameOntoNothing(at: store, Self.name(of: last), to: store, Self.next)
    }
  }

  /// Begins a generation: everything that readers see now, by one more name for each file.
  package func begin() throws(TransferFailure) -> RootDirectory {
    try step { () throws(SystemError) in try SystemCall.makeDirectory(at: store, Self.cloning) }
    if let current = try current() {
      let clone = LinkedTree(wish: { _, _, _ in .add }, makesEmptyDirectories: true)
      do throws(TransferFailure) {
        try clone.bring(try top(of: current), into: try top(of: try open(Self.cloning)))
      } catch  where error.errno == EXDEV {
        throw TransferFailure(
          .invalidRequest, .local, "\(layout.root) is another file system than the folder that it lies in",
          hint: "`publish: atomic` needs both on one: choose a root that is a folder of the mounted file system.",
          errno: error.errno)
      }
    }
    try step { () throws(SystemError) in
      try SystemCall.renameOntoNothing(at: store, Self.cloning, to: store, Self.next)
    }
    return try open(Self.next)
  }

  /// Takes over what was put into the published tree since the unfinished one was begun, so that nobody's file gets lost:
  /// names that are new, and files that are not mirror's and were replaced.
  ///
  /// - Parameters:
  ///   - unfinished: the tree that is being built.
  ///   - isOwn: whether mirror has a record of the path, so that what was built stays.
  package func takeOver(
    into unfinished: DirectoryCache, isOwn: @escaping (RelativePath) throws(TransferFailure) -> Bool
  ) throws(TransferFailure) {
    guard let current = try current() else { return }
    let removed = try Trash(unfinished).runs().map { "\(RootLock.directoryName)/\(Trash.folder(of: $0))" }
    let tree = LinkedTree(
      wish: { bytes, status, standing throws(TransferFailure) in
        let path = String(validating: bytes, as: UTF8.self).flatMap { try? RelativePath($0) }
        if let standing {
          if standing.isSameFile(as: status) || standing.kind == .directory { return .leave }
          guard let path else { return .replace }
          return try isOwn(path) ? .leave : .replace
        }
        guard let path else { return .add }
        for folder in removed {
          let place = [folder, path.parentText].compactMap(\.self).joined(separator: "/")
          guard let trash = try unfinished.directory(place) else { continue }
          if (try? SystemCall.status(at: trash.number, path.name)) != nil { return .leave }
        }
        // A file that stands above it took the place of the folder: what mirror had there is gone with it.
        return try isOwn(path) ? .leave : .add
      }, makesEmptyDirectories: false)
    try tree.bring(try top(of: current), into: try top(of: unfinished.root))
  }

  /// Shows the unfinished generation to readers, in one step, and returns its number. Its content must be on the disk.
  package func publish() throws(TransferFailure) -> Int {
    try setAsideOwnFolder()
    let standing = Self.standing(layout)
    var number = (try generations().last ?? 0) + 1
    if case .generation(let current) = standing { number = max(number, current + 1) }
    let name = Self.name(of: number)
    try step { () throws(SystemError) in
      try SystemCall.renameOntoNothing(at: store, Self.next, to: store, name)
      try SystemCall.makeLink("\(layout.folderName)/\(name)", at: store, Self.flip)
    }
    let above = parent.descriptor.rawValue
    try step { () throws(SystemError) in
      switch standing {
      case .generation: try SystemCall.rename(at: store, Self.flip, to: above, layout.name)
      case .nothing: try SystemCall.renameOntoNothing(at: store, Self.flip, to: above, layout.name)
      case .folder:
        try SystemCall.exchange(at: store, Self.flip, with: above, layout.name)
        try SystemCall.renameOntoNothing(at: store, Self.flip, to: store, Self.name(of: number - 1))
      case .foreign: throw SystemError(errno: EEXIST, operation: "replace", path: layout.root)
      }
    }
    try home.sync()
    return number
  }

  /// Removes all but the `keep` newest of the generations that are no longer shown.
  package func retire(keeping keep: Int) throws(TransferFailure) {
    guard case .generation(let current) = Self.standing(layout) else { return }
    for number in try generations().filter({ $0 < current }).dropLast(keep) {
      let name = Self.name(of: number)
      try step { () throws(SystemError) in
        try SystemCall.rename(at: store, name, to: store, Self.retired + name)
      }
      try remove(Self.retired + name)
    }
  }

  /// What mirror keeps for itself in a tree that is built (removed files) does not belong to what readers see.
  private func setAsideOwnFolder() throws(TransferFailure) {
    let tree = try open(Self.next)
    defer { withExtendedLifetime(tree) {} }
    let unfinished = tree.descriptor.rawValue
    guard (try? SystemCall.status(at: unfinished, RootLock.directoryName)) != nil else { return }
    let name = Self.retired + "trash"
    try step { () throws(SystemError) in
      try SystemCall.rename(at: unfinished, RootLock.directoryName, to: store, name)
    }
    try remove(name)
  }

  private func top(of root: RootDirectory) throws(TransferFailure) -> Directory {
    do { return try root.openDirectory("") } catch { throw error.at(root.path).failure }
  }

  /// Removes a folder of the store with all that is in it, or a link; follows none.
  private func remove(_ name: String) throws(TransferFailure) {
    try step { () throws(SystemError) in
      guard try SystemCall.status(at: store, name).kind == .directory else {
        return try SystemCall.unlink(at: store, name)
      }
      let folder = Directory(
        path: name, descriptor: try SystemCall.open(at: store, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
      _ = try Trash.clear(folder) { false }
      try SystemCall.unlink(at: store, name, flags: AT_REMOVEDIR)
    }
  }

  private func step(_ body: () throws(SystemError) -> Void) throws(TransferFailure) {
    do { try body() } catch {
      throw error.at(error.path.isEmpty ? layout.folder : error.path).failure
    }
  }
}

extension GenerationStore {
  /// Lock and state of a root that was not published by generations so far move into the store, with all that is in trash.
  /// Meant for the holder of that root's lock, which stays held.
  package func takeOwnFolder(of root: RootDirectory) throws(TransferFailure) {
    guard !exists(RootLock.directoryName) else { return }
    do throws(SystemError) {
      try SystemCall.renameOntoNothing(
        at: root.descriptor.rawValue, RootLock.directoryName, to: store, RootLock.directoryName)
    } catch {
      throw error.at(layout.root).failure
    }
  }
}
