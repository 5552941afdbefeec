// The sink that turns the bytes of one object into one file: first under a temporary name, then, whole and checked,
// under the final one. Which bytes to ask for is decided elsewhere (`TransferModel.ResumeDecision`).

import Glibc
package import TransferModel

/// Writes one file below a root so that its final name holds the old content or the new one, never anything else.
///
/// Used on one thread; hand it over whole. Up to `bufferLimit` bytes wait in memory and reach the disk only at `commit`,
/// or at once if they are the whole file and it needs neither a name until then nor a folder: a small file that fails
/// leaves nothing behind, and one that succeeds costs six calls (openat, pwrite, futimens, fstat, linkat or renameat,
/// close; and an fstatat when the caller does not know what stands there). More bytes go to a part file that a later run
/// finds by its name, or to one without a name when nobody is going to continue it and nothing stands at the destination.
/// Nothing is truncated before `restart` or the first new byte.
package final class PartialFile: ByteSink {
  /// What is known to stand at the destination.
  package enum Replaced: Hashable, Sendable {
    /// It will be looked up, so that a directory is refused before a byte moves.
    case unknown
    case nothing
    case file(mode: UInt16)
  }

  package struct Options: Hashable, Sendable {
    /// The permission bits of the final file, whatever the umask; nil = those of the file it replaces, else what the
    /// kernel gives a new file (0666 less the umask, or by the folder's default ACL).
    package var mode: UInt16?
    /// Whether bytes that an earlier run left may be continued.
    package var resume = false
    /// With `resume`: the stretches of the file that hold bytes; nil = all of it does, from its beginning to its end.
    package var stretches: [Range<Int64>]?
    /// Whether bytes that this run leaves are worth continuing by a later one; default true.
    package var continuable = true
    /// Whether file and folder are synced at commit; else durability is the batch's (`RootDirectory.sync`). Folders
    /// that had to be made for the file are always the batch's.
    package var durable = false
    /// How many bytes wait in memory; default 64 KiB, 0 = none.
    package var bufferLimit = 65_536
    package var replaced: Replaced = .unknown
    /// The size that the file is going to have, as far as one knows: nothing is gained by keeping a copy of bytes that come
    /// in one piece.
    package var expectedSize: Int64?

    package init() {}
  }

  package let destination: RelativePath
  package internal(set) var position: Int64 = 0
  /// How the file looked when it was put in place; nil before `commit`.
  package private(set) var stamp: LocalStamp?

  private let directories: DirectoryCache
  private let options: Options
  private let mode: UInt16?
  let digest: StreamingDigest
  private var buffer: [UInt8] = []
  var part: PartFile?
  /// What was written beyond `position`.
  var later = StretchList()
  private var isEnded = false
  /// The digests of all bytes, once they were asked for. Taking them uses the digest up.
  private var concluded: DigestSet?

  /// - digest: is reset here and belongs to this sink until its end.
  ///
  /// With `resume`, opens the part file of an earlier run if there is one, so that `position` tells what it holds; its
  /// bytes are as trustworthy as the disk after a power cut, so their digest should be checked. Throws
  /// `is_a_directory`, `name_conflict`, `symlink_refused`, `not_a_directory`, and `conflict` when someone else is
  /// writing the same part file.
  package init(
    _ destination: RelativePath, in directories: DirectoryCache, digest: StreamingDigest, options: Options = Options()
  ) throws(TransferFailure) {
    self.destination = destination
    self.directories = directories
    self.options = options
    self.digest = digest
    if let given = options.mode {
      mode = given
      _ = try Self.modeOfReplaced(destination, directories, options.replaced)
    } else {
      mode = try Self.modeOfReplaced(destination, directories, options.replaced)
    }
    digest.reset()
    guard options.resume, let parent = try directories.parent(of: destination) else { return }
    do {
      part = try PartFile.openContinuable(
        TemporaryName.part(for: destination), in: parent, creatingWithMode: nil)
    } catch {
      throw error.at(destination.text).failure
    }
    guard let part else { return }
    if let stretches = options.stretches { resume(stretches, of: part) } else { position = part.initialSize }
    // What is of no use is emptied when it is opened for the first byte.
    if position == 0 { self.part = nil }
  }

  deinit {
    if let part, !part.isContinuable { part.remove() }
  }

  /// Throws unless a file may take the name. A link is replaced like a file, but its mode means nothing. Set-id bits
  /// were given to the old content, so the new one does not inherit them.
  static func modeOfReplaced(
    _ destination: RelativePath, _ directories: DirectoryCache, _ replaced: Replaced
  ) throws(TransferFailure) -> UInt16? {
    switch replaced {
    case .nothing: return nil
    case .file(let mode): return mode & 0o777
    case .unknown: break
    }
    guard let status = try directories.survey(destination) else { return nil }
    switch status.kind {
    case .file: return status.mode & 0o777
    case .symlink: return nil
    case .directory:
      throw SystemError(errno: EISDIR, operation: "write to", path: destination.text).failure
    case .other:
      throw SystemError(errno: EEXIST, operation: "replace a device, socket or pipe by", path: destination.text).failure
    }
  }

  // MARK: bytes

  package func restart() throws(TransferFailure) {
    precondition(!isEnded, "a sink is used until its end, not after it")
    buffer.removeAll(keepingCapacity: true)
    concluded = nil
    digest.reset()
    position = 0
    later.removeAll()
    if let part { try attempt { () throws(SystemError) in try part.truncate(to: 0) } }
  }

  package func write(_ bytes: UnsafeRawBufferPointer) throws(TransferFailure) {
    precondition(!isEnded, "a sink is used until its end, not after it")
    if concluded != nil { reopenDigest() }
    try catchUp()
    if part == nil, buffer.isEmpty, Int64(bytes.count) == options.expectedSize {
      // A folder is not made for bytes that nobody has looked at.
      part = try directories.parent(of: destination).flatMap { openUnnamed(in: $0) }
    }
    if part == nil, buffer.count + bytes.count <= options.bufferLimit {
      buffer.append(contentsOf: bytes)
    } else {
      let part = try spill()
      try attempt { () throws(SystemError) in try part.write(bytes, at: position) }
    }
    digest.update(bytes)
    position += Int64(bytes.count)
  }

  package func digests() throws(TransferFailure) -> DigestSet {
    try catchUp()
    if let concluded { return concluded }
    let digests = try digest.conclude()
    concluded = digests
    return digests
  }

  /// More bytes come behind what had looked like the end (P11): the digest begins anew, and `catchUp` reads the part file.
  private func reopenDigest() {
    concluded = nil
    digest.reset()
    if part == nil { buffer.withUnsafeBytes { digest.update($0) } }
  }

  /// Reads the bytes that an earlier run left, so that the digests cover them; done by the first `write` or `digests`
  /// unless it was called before, where reading gigabytes may take its time. Does nothing when there is nothing to
  /// read.
  package func catchUp() throws(TransferFailure) {
    guard digest.byteCount < position, let part else { return }
    try feedDigest(from: part, upTo: position)
  }

  /// Reads back what the digests have not seen, as far as `end`.
  func feedDigest(from part: PartFile, upTo end: Int64) throws(TransferFailure) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    while digest.byteCount < end {
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(1 << 20, end - digest.byteCount))])
      let count = try attempt { () throws(SystemError) in
        let count = try part.read(into: room, at: digest.byteCount)
        guard count > 0 else { throw SystemError(errno: EIO, operation: "read all bytes of the part file of") }
        return count
      }
      digest.update(UnsafeRawBufferPointer(rebasing: room[..<count]))
    }
  }

  /// The part file, with the bytes that waited in memory written to it.
  func spill() throws(TransferFailure) -> PartFile {
    if let part { return part }
    let opened = try openInParent { directory throws(SystemError) in
      if !options.continuable, let part = openUnnamed(in: directory) { return part }
      let name = TemporaryName.part(for: destination)
      guard let part = try PartFile.openContinuable(name, in: directory, creatingWithMode: mode ?? 0o666) else {
        throw SystemError(errno: ENOENT, operation: "open the part file of")
      }
      return part
    }
    part = opened
    // The bytes of this attempt replace those of another version.
    if opened.initialSize > 0 { try attempt { () throws(SystemError) in try opened.truncate(to: 0) } }
    try writeBuffer(to: opened)
    return opened
  }

  private func writeBuffer(to part: PartFile) throws(TransferFailure) {
    try attempt { () throws(SystemError) in
      try buffer.withUnsafeBufferPointer { bytes throws(SystemError) in
        try part.write(UnsafeRawBufferPointer(bytes), at: 0)
      }
    }
    buffer = []
  }

  // MARK: the end

  @discardableResult
  package func commit(modified: Timestamp?) throws(TransferFailure) -> LocalStamp? {
    precondition(!isEnded, "a sink is used until its end, not after it")
    let part: PartFile
    if let open = self.part {
      part = open
    } else {
      part = try openInParent { directory throws(SystemError) in
        if let part = openUnnamed(in: directory) { return part }
        return try PartFile.createUnique(in: directory, mode: mode ?? 0o666)
      }
      self.part = part
      try writeBuffer(to: part)
    }
    do {
      stamp = try put(part, modified)
    } catch {
      guard error.errno == EEXIST else { throw error.at(destination.text).failure }
      _ = try Self.modeOfReplaced(destination, directories, .unknown)
      throw TransferFailure(
        .conflict, .local, "something else was put at \(destination) while mirror was fetching it",
        hint: "look at that file and run again: it is then treated as the manifest says", errno: EEXIST)
    }
    self.part = nil
    isEnded = true
    return stamp
  }

  /// Gives the finished file its name, unless it was to be new and something has taken that meanwhile (EEXIST).
  private func put(_ part: PartFile, _ modified: Timestamp?) throws(SystemError) -> LocalStamp {
    var form = FinalForm(size: position, mode: mode, modified: modified, durable: options.durable)
    form.names = part.isUnnamed ? 0 : 1
    let stamp = try part.seal(form)
    do {
      try part.publish(as: destination.name, replacing: options.replaced != .nothing, durable: options.durable)
      return stamp
    } catch {
      guard part.isUnnamed, error.errno == ENOENT || error.errno == EPERM else { throw error }
      let copy = try part.namedCopy(mode: mode ?? 0o666)
      self.part = copy
      return try put(copy, modified)
    }
  }

  /// A part file without a name, where that is possible and nothing has to be replaced.
  private func openUnnamed(in directory: Directory) -> PartFile? {
    options.replaced == .nothing ? PartFile.openUnnamed(in: directory, mode: mode ?? 0o666) : nil
  }

  package func park() {
    guard let part, part.isContinuable, position > 0, !isEnded else { return discard() }
    part.close()
    end()
  }

  package func discard() {
    guard !isEnded else { return }
    part?.remove()
    end()
  }

  private func end() {
    part = nil
    buffer = []
    isEnded = true
  }

  // MARK: errors

  func attempt<Value>(_ body: () throws(SystemError) -> Value) throws(TransferFailure) -> Value {
    do {
      return try body()
    } catch {
      throw error.at(destination.text).failure
    }
  }

  /// Runs `open` in the destination's folder, which is made when it is missing; once more when the folder that was kept
  /// open has been removed meanwhile.
  private func openInParent(
    _ open: (Directory) throws(SystemError) -> PartFile
  ) throws(TransferFailure) -> PartFile {
    let kept = try directories.makeParent(of: destination)
    do {
      return try open(kept)
    } catch {
      guard error.errno == ENOENT else { throw error.at(destination.text).failure }
    }
    directories.forget("")
    let parent = try directories.makeParent(of: destination)
    return try attempt { () throws(SystemError) in try open(parent) }
  }
}
