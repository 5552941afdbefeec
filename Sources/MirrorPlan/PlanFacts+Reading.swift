// The facts of a written plan, read back; the mirror image of `PlanFacts.write`.

import TransferModel

extension PlanFacts {
  /// Reads the object that the reader stands at.
  init(reading reader: inout JSONReader) throws(JSONError) {
    let start = reader.offset
    var local: LocalFact?
    var remote: RemoteFact?
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch key {
      case "local": local = try Members(reading: &reader).local()
      case "remote": remote = try Members(reading: &reader).remote()
      default: try reader.skipValue()
      }
    }
    guard let local, let remote else { throw JSONError("facts need `local` and `remote`", offset: start) }
    self.init(local: local, remote: remote)
  }

  /// The members that either side can have.
  private struct Members {
    private let start: Int
    private var texts: [String: String] = [:]
    private var numbers: [String: Int64] = [:]
    private var digests = DigestSet()

    init(reading reader: inout JSONReader) throws(JSONError) {
      start = reader.offset
      try reader.beginObject()
      while let key = try reader.nextKey() {
        switch try reader.peek() {
        case .string: texts[key] = try reader.readString()
        case .number: numbers[key] = try reader.readNumber().int64
        case .object where key == "hashes": try readDigests(&reader)
        case .null, .bool, .array, .object: try reader.skipValue()
        }
      }
    }

    private mutating func readDigests(_ reader: inout JSONReader) throws(JSONError) {
      try reader.beginObject()
      while let name = try reader.nextKey() {
        let place = reader.offset
        let text = try reader.readString()
        guard let algorithm = DigestAlgorithm(rawValue: name) else { continue }
        guard let digest = try? Digest(parsing: text, as: algorithm) else {
          throw JSONError("this is no \(name) checksum", offset: place)
        }
        digests[algorithm] = digest
      }
    }

    func local() throws(JSONError) -> LocalFact {
      switch texts["kind"] {
      case "absent": return .absent
      case "directory": return .directory
      case "symlink": return .symlink
      case "other": return .other
      case "file":
        guard let size = numbers["size"], let modified = texts["modified"].flatMap({ Int64($0) }),
          let inode = texts["inode"].flatMap({ UInt64($0) }),
          let mode = numbers["mode"].flatMap({ UInt16(exactly: $0) })
        else { throw JSONError("the facts of a file are not complete", offset: start) }
        return .file(LocalStamp(size: size, modified: modified, inode: inode), mode: mode)
      default: throw JSONError("no such kind of local fact", offset: start)
      }
    }

    func remote() throws(JSONError) -> RemoteFact {
      switch texts["kind"] {
      case "not_asked": return .notAsked
      case "absent": return .absent
      case "failed":
        let reason = texts["reason"].flatMap { ReasonCode(rawValue: $0) } ?? .unexpectedStatus
        return .failed(TransferFailure(reason, .permanent, "it could not be found out when it was planned"))
      case "present":
        return .present(
          ObjectVersion(
            generation: texts["generation"].flatMap { Int64($0) }, etag: texts["etag"],
            lastModified: texts["last_modified"].flatMap { Timestamp(rfc3339: $0) }, size: numbers["size"],
            digests: digests, contentEncoding: texts["content_encoding"]))
      default: throw JSONError("no such kind of remote fact", offset: start)
      }
    }
  }
}
