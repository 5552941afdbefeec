// `StateRow` as the columns of `files`, both ways.

import MirrorPlan
import TransferModel

extension StateRow {
  /// The columns in the order in which `bind` and `init(reading:)` count them.
  static let columns = """
    path, tree, source, generation, etag, last_modified, last_modified_ns, stored_size, \
    crc32c, md5, sha256, sha512, content_encoding, size, mtime_ns, inode, \
    local_crc32c, local_md5, local_sha256, local_sha512, content, proven, proven_ns, placeholder
    """
  static let placeholders = "?" + String(repeating: ", ?", count: 23)

  private static let storedDigests: Int32 = 8
  private static let localDigests: Int32 = 16

  func bind(to statement: SQLiteStatement) {
    statement.bind(bytesOf: destination.text, at: 0)
    statement.bind(tree, at: 1)
    statement.bind(file.source, at: 2)
    bindVersion(to: statement)
    statement.bind(file.stamp.size, at: 13)
    statement.bind(file.stamp.modified, at: 14)
    statement.bind(Int64(bitPattern: file.stamp.inode), at: 15)
    bindDigests(to: statement)
    statement.bind(file.content.rawValue, at: 20)
    statement.bind(file.proven.seconds, at: 21)
    statement.bind(Int64(file.proven.nanoseconds), at: 22)
    statement.bind(file.isPlaceholder ? 1 : 0, at: 23)
  }

  private func bindVersion(to statement: SQLiteStatement) {
    let version = file.version
    statement.bind(version.generation, at: 3)
    statement.bind(version.etag, at: 4)
    statement.bind(version.lastModified?.seconds, at: 5)
    statement.bind(version.lastModified.map { Int64($0.nanoseconds) }, at: 6)
    statement.bind(version.size, at: 7)
    statement.bind(version.contentEncoding, at: 12)
  }

  private func bindDigests(to statement: SQLiteStatement) {
    let (allStored, allLocal) = (file.version.digests, file.digests)
    for (offset, algorithm) in DigestAlgorithm.allCases.enumerated() {
      let (stored, local) = (allStored[algorithm], allLocal[algorithm])
      statement.bind(stored, at: Self.storedDigests + Int32(offset))
      let column = Self.localDigests + Int32(offset)
      // NULL = as stored; no bytes = none.
      if local == stored {
        statement.bind(nil as Digest?, at: column)
      } else if let local {
        statement.bind(local, at: column)
      } else {
        statement.bind([] as [UInt8], at: column)
      }
    }
  }

  /// The row that `statement` stands on; nil when it holds what this program never writes, so that the file counts as
  /// unknown and is read again.
  init?(reading statement: SQLiteStatement) {
    guard let path = statement.blobText(at: 0), let destination = try? RelativePath(path) else { return nil }
    self.init(reading: statement, of: destination)
  }

  /// The same, where the destination is known.
  init?(reading statement: SQLiteStatement, of destination: RelativePath) {
    guard let source = statement.text(at: 2),
      let size = statement.integer(at: 13), let modified = statement.integer(at: 14),
      let inode = statement.integer(at: 15), let form = statement.text(at: 20),
      let content = TransferSettings.ContentForm(rawValue: form), let proven = statement.timestamp(at: 21),
      let placeholder = statement.integer(at: 23), let digests = Self.digests(in: statement)
    else { return nil }
    let version = ObjectVersion(
      generation: statement.integer(at: 3), etag: statement.text(at: 4), lastModified: statement.timestamp(at: 5),
      size: statement.integer(at: 7), digests: digests.stored, contentEncoding: statement.text(at: 12))
    self.init(
      destination: destination, tree: statement.text(at: 1),
      file: RecordedFile(
        source: source, version: version,
        stamp: LocalStamp(size: size, modified: modified, inode: UInt64(bitPattern: inode)),
        digests: digests.local, content: content, proven: proven, isPlaceholder: placeholder != 0))
  }

  private static func digests(in statement: SQLiteStatement) -> (stored: DigestSet, local: DigestSet)? {
    var stored = DigestSet()
    var local = DigestSet()
    for (offset, algorithm) in DigestAlgorithm.allCases.enumerated() {
      let found = statement.withBlob(at: storedDigests + Int32(offset)) { Digest(algorithm, bytes: $0) }
      if let found {
        guard let digest = found else { return nil }
        stored[algorithm] = digest
      }
      let own = statement.withBlob(at: localDigests + Int32(offset)) { bytes in
        (isNone: bytes.isEmpty, digest: Digest(algorithm, bytes: bytes))
      }
      guard let own else {
        local[algorithm] = stored[algorithm]
        continue
      }
      if own.isNone { continue }
      guard let digest = own.digest else { return nil }
      local[algorithm] = digest
    }
    return (stored, local)
  }
}

extension SQLiteStatement {
  /// Seconds in `column` and nanoseconds in the next; nil when either is NULL or no nanosecond of a second.
  func timestamp(at column: Int32) -> Timestamp? {
    guard let seconds = integer(at: column), let nanoseconds = integer(at: column + 1),
      (0..<1_000_000_000).contains(nanoseconds)
    else { return nil }
    return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
  }

  func bind(_ time: Timestamp?, at index: Int32) {
    bind(time?.seconds, at: index)
    bind(time.map { Int64($0.nanoseconds) }, at: index + 1)
  }
}
