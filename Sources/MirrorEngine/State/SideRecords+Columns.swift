// `PartRecord` and `RunRecord` as columns, both ways.

import TransferModel

extension PartRecord {
  func bind(to statement: SQLiteStatement) {
    statement.bind(Array(destination.text.utf8), at: 0)
    statement.bind(temporaryName, at: 1)
    statement.bind(source, at: 2)
    let (kind, text, number, nanoseconds) = Self.columns(of: validator)
    statement.bind(kind, at: 3)
    statement.bind(text, at: 4)
    statement.bind(number, at: 5)
    statement.bind(nanoseconds, at: 6)
    statement.bind(total, at: 7)
    statement.bind(bytes, at: 8)
    statement.bind(noted, at: 9)
    statement.bind(stretches.map(StretchText.write), at: 11)
  }

  /// nil when the row holds what this program never writes.
  init?(reading statement: SQLiteStatement) {
    guard let key = statement.blob(at: 0), let path = String(validating: key, as: UTF8.self),
      let destination = try? RelativePath(path), let name = statement.text(at: 1),
      let source = statement.text(at: 2), let validator = Self.validator(in: statement),
      let bytes = statement.integer(at: 8), let noted = statement.timestamp(at: 9)
    else { return nil }
    let written = statement.text(at: 11)
    let stretches = written.flatMap(StretchText.read)
    // What cannot be read must not pass for a part without holes.
    if written != nil, stretches == nil { return nil }
    self.init(
      destination: destination, temporaryName: name, source: source, validator: validator,
      total: statement.integer(at: 7), bytes: bytes, noted: noted, stretches: stretches)
  }

  private static func columns(of validator: Validator) -> (String, String?, Int64?, Int64?) {
    switch validator {
    case .generation(let number): ("generation", nil, number, nil)
    case .strongETag(let tag): ("etag", tag, nil, nil)
    case .weakETag(let tag): ("weak_etag", tag, nil, nil)
    case .lastModified(let time): ("last_modified", nil, time.seconds, Int64(time.nanoseconds))
    }
  }

  private static func validator(in statement: SQLiteStatement) -> Validator? {
    switch statement.text(at: 3) {
    case "generation": statement.integer(at: 5).map { .generation($0) }
    case "etag": statement.text(at: 4).map { .strongETag($0) }
    case "weak_etag": statement.text(at: 4).map { .weakETag($0) }
    case "last_modified": statement.timestamp(at: 5).map { .lastModified($0) }
    default: nil
    }
  }
}

extension RunRecord {
  func bind(to statement: SQLiteStatement) {
    statement.bind(id, at: 0)
    statement.bind(started, at: 1)
    statement.bind(ended, at: 3)
    statement.bind(exitStatus.map { Int64($0) }, at: 5)
    statement.bind(counts.transferred, at: 6)
    statement.bind(counts.unchanged, at: 7)
    statement.bind(counts.deleted, at: 8)
    statement.bind(counts.failed, at: 9)
    statement.bind(counts.bytes, at: 10)
  }

  /// nil when the row holds what this program never writes.
  init?(reading statement: SQLiteStatement) {
    guard let id = statement.text(at: 0), let started = statement.timestamp(at: 1),
      let transferred = statement.integer(at: 6), let unchanged = statement.integer(at: 7),
      let deleted = statement.integer(at: 8), let failed = statement.integer(at: 9),
      let bytes = statement.integer(at: 10)
    else { return nil }
    var counts = Counts()
    counts.transferred = transferred
    counts.unchanged = unchanged
    counts.deleted = deleted
    counts.failed = failed
    counts.bytes = bytes
    self.init(
      id: id, started: started, ended: statement.timestamp(at: 3),
      exitStatus: statement.integer(at: 5).flatMap { Int32(exactly: $0) }, counts: counts)
  }
}
