// What the lock file promises of one destination: which version of which object stands there.
// The document is `LockFile.swift`; what a promise means for a run is `Entry+Lock.swift`.

package import TransferModel

/// One line of a lock file.
package struct LockEntry: Hashable, Sendable {
  package var destination: RelativePath
  /// Names the first reference, without secrets (`SourceKey`).
  package var source: String
  /// nil for what is no object in a bucket, and for entries with mirrors, whose servers count by themselves.
  package var generation: Int64?
  /// Of plain URLs only: the ETag of an object in a bucket moves when it is read.
  package var etag: String?
  /// The stored length in bytes.
  package var size: Int64?
  /// Of the stored bytes.
  package var digests: DigestSet
  package var contentEncoding: String?

  package init(
    destination: RelativePath, source: String, generation: Int64? = nil, etag: String? = nil, size: Int64? = nil,
    digests: DigestSet = DigestSet(), contentEncoding: String? = nil
  ) {
    self.destination = destination
    self.source = source
    self.generation = generation
    self.etag = etag
    self.size = size
    self.digests = digests
    self.contentEncoding = contentEncoding
  }

  /// Whose word counts for an entry.
  package enum Kind: Sendable {
    /// One object in a bucket: its generation, and its digests.
    case storage
    /// One plain URL: its ETag, and its digests.
    case web
    /// Several references to the same bytes: the digests alone.
    case mirrors

    package init(_ entry: Entry) {
      switch entry.references[0] {
      case _ where entry.references.count > 1: self = .mirrors
      case .storage: self = .storage
      case .web: self = .web
      }
    }
  }

  /// What is promised when the object is `version`.
  ///
  /// | the service names | promised |
  /// | --- | --- |
  /// | digests | those, and nothing that was computed here: two machines then write the same bytes |
  /// | no digests | those in `proven`, which an earlier run proved of the stored bytes |
  ///
  /// nil when nothing would tie the promise to one version: no generation, no digest.
  package init?(
    _ destination: RelativePath, source: String, _ kind: Kind, version: ObjectVersion, proven: DigestSet
  ) {
    let digests = version.digests.isEmpty ? proven : version.digests
    let generation = kind == .storage ? version.generation : nil
    guard generation != nil || !digests.isEmpty else { return nil }
    self.init(
      destination: destination, source: source, generation: generation, etag: kind == .web ? version.etag : nil,
      size: version.size, digests: digests, contentEncoding: version.isCoded ? version.contentEncoding : nil)
  }

  package var version: ObjectVersion {
    ObjectVersion(
      generation: generation, etag: etag, size: size, digests: digests, contentEncoding: contentEncoding)
  }

  /// The digests that a download is held against; md5 is slow and only taken when it is all there is.
  package var pins: DigestSet {
    DigestSet(digests.worthComputing.compactMap { digests[$0] })
  }
}

extension LockEntry {
  /// The entry as a line of the document, without its comma.
  var line: [UInt8] {
    var json = JSONWriter(layout: .indented)
    json.beginObject(onOneLine: true)
    json.member("to", destination.text)
    json.member("ref", source)
    json.member("generation", generation.map { String($0) })
    json.member("etag", etag)
    json.member("size", size)
    json.member("content_encoding", contentEncoding)
    json.hashes(digests)
    json.endObject()
    return json.takeBytes()
  }

  /// What is wrong with an entry that is read, and where.
  struct Problem: Error {
    var message: String
    var offset: Int
  }

  /// Reads the object that the reader stands at. Members that are not known are stepped over.
  init(reading reader: inout JSONReader) throws(Problem) {
    let start = reader.offset
    do throws(JSONError) {
      var found = Fields()
      try reader.beginObject()
      while let key = try reader.nextKey() { try found.read(key, &reader) }
      if let problem = found.problem { throw problem }
      guard let destination = found.destination, let source = found.source else {
        throw JSONError("an entry needs `to` and `ref`", offset: start)
      }
      self.init(
        destination: destination, source: source, generation: found.generation, etag: found.etag, size: found.size,
        digests: found.digests, contentEncoding: found.contentEncoding)
    } catch {
      throw Problem(message: error.message, offset: error.offset)
    }
  }

  private struct Fields {
    var destination: RelativePath?
    var source, etag, contentEncoding: String?
    var generation, size: Int64?
    var digests = DigestSet()
    /// A value that cannot be; the first one.
    var problem: JSONError?

    mutating func read(_ key: String, _ reader: inout JSONReader) throws(JSONError) {
      let place = reader.offset
      switch key {
      case "to":
        let text = try reader.readString()
        do {
          destination = try RelativePath(text)
        } catch {
          refuse("`to` is no safe path below the root (\(error.rawValue))", place)
        }
      case "ref": source = try reader.readString()
      case "etag": etag = try reader.readString()
      case "content_encoding": contentEncoding = try reader.readString()
      case "generation":
        generation = ASCII.number(try reader.readString().utf8)
        if generation == nil { refuse("`generation` is a whole number, written as a text", place) }
      case "size":
        size = try reader.readNumber().int64
        if size ?? -1 < 0 { refuse("`size` is a number of bytes", place) }
      case "hashes": try readDigests(&reader)
      default: try reader.skipValue()
      }
    }

    private mutating func readDigests(_ reader: inout JSONReader) throws(JSONError) {
      try reader.beginObject()
      while let name = try reader.nextKey() {
        let place = reader.offset
        guard let algorithm = DigestAlgorithm(rawValue: name) else {
          try reader.skipValue()
          continue
        }
        let text = try reader.readString()
        do {
          digests[algorithm] = try Digest(parsing: text, as: algorithm)
        } catch {
          refuse(error.message, place)
        }
      }
    }

    private mutating func refuse(_ message: String, _ offset: Int) {
      problem = problem ?? JSONError(message, offset: offset)
    }
  }
}
