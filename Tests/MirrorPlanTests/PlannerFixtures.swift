// Facts that the planner's tests are made of: one object, one file, in the variants that a table row names.

import MirrorPlan
import Testing
import TransferModel

enum Facts {
  static let crcA = Digest(crc32c: 0xAAAA_AAAA)
  static let crcB = Digest(crc32c: 0xBBBB_BBBB)
  static let md5A = digest(.md5, 0xA1)
  static let sha256A = digest(.sha256, 0xA2)
  static let sha256B = digest(.sha256, 0xB2)

  static func digest(_ algorithm: DigestAlgorithm, _ byte: UInt8) -> Digest {
    guard let digest = Digest(algorithm, bytes: Array(repeating: byte, count: algorithm.byteCount)) else {
      preconditionFailure("the length is the algorithm's")
    }
    return digest
  }

  static func path(_ text: String) -> RelativePath {
    do { return try RelativePath(text) } catch { preconditionFailure("\(text): \(error)") }
  }

  static func url(_ text: String) -> HTTPURL {
    do { return try HTTPURL(parsing: text) } catch { preconditionFailure("\(text): \(error)") }
  }

  static let object = Reference.storage(StorageAddress(bucket: "b", object: ObjectName("o")))
  static let web = Reference.web(url("https://a.example/o"))
  static let mirrorSite = Reference.web(url("https://m.example/o"))

  static let stamp = LocalStamp(size: 10, modified: 1_000, inode: 7)
  static let touched = LocalStamp(size: 10, modified: 2_000, inode: 7)
  static let grown = LocalStamp(size: 11, modified: 2_000, inode: 7)
  static let day = Timestamp(seconds: 1_700_000_000)

  static func entry(
    _ references: [Reference], to destination: String = "d/f", verify: TransferSettings.Verify = .auto,
    content: TransferSettings.ContentForm = .stored, mode: UInt16? = nil, maxSize: ByteCount? = nil,
    onLocalChange: TransferSettings.LocalChangePolicy = .overwrite, modified: TransferSettings.ModifiedTime = .source,
    pins: [Digest] = [], size: ByteCount? = nil, generation: Int64? = nil, fromTree: Bool = false
  ) -> Entry {
    let mark = SourceMark(line: 3, column: 5)
    return Entry(
      references: references, destination: path(destination),
      settings: TransferSettings(
        maxSize: maxSize, verify: verify, content: content, mode: mode, modified: modified, onLocalChange: onLocalChange
      ),
      pins: DigestSet(pins), size: size, generation: generation,
      declaration: fromTree ? .tree(mark) : .item(mark))
  }

  static func version(
    generation: Int64? = nil, etag: String? = nil, modified: Timestamp? = nil, size: Int64? = nil,
    _ digests: [Digest] = [], coding: String? = nil
  ) -> ObjectVersion {
    ObjectVersion(
      generation: generation, etag: etag, lastModified: modified, size: size, digests: DigestSet(digests),
      contentEncoding: coding)
  }

  static func row(
    _ reference: Reference, _ version: ObjectVersion = ObjectVersion(), stamp: LocalStamp = stamp,
    digests: [Digest] = [crcA], content: TransferSettings.ContentForm = .stored, isPlaceholder: Bool = false
  ) -> RecordedFile {
    RecordedFile(
      source: SourceKey(reference).text, version: version, stamp: stamp, digests: DigestSet(digests),
      content: content, proven: day, isPlaceholder: isPlaceholder)
  }

  static func file(_ stamp: LocalStamp = stamp, mode: UInt16 = 0o644) -> LocalFact { .file(stamp, mode: mode) }
}

/// One row of a truth table: facts in, verdict out.
struct PlannerRow: CustomTestStringConvertible, Sendable {
  let name: String
  var entry: Entry
  var local: LocalFact
  var recorded: RecordedFile?
  var remote: RemoteFact
  var digests: DigestSet?
  var planner: Planner
  let expected: Expected

  var testDescription: String { name }

  enum Expected: Sendable {
    case needsRemote
    case needsDigests(DigestAlgorithms)
    /// Action, reason, compared by; the fetch is looked at when it is given.
    case decided(Action, PlanReason, ComparedBy, fetch: Fetch? = nil)
  }

  init(
    _ name: String, _ entry: Entry, _ local: LocalFact, _ recorded: RecordedFile?, _ remote: RemoteFact,
    read digests: [Digest]? = nil, planner: Planner = Planner(), _ expected: Expected
  ) {
    self.name = name
    self.entry = entry
    self.local = local
    self.recorded = recorded
    self.remote = remote
    self.digests = digests.map { DigestSet($0) }
    self.planner = planner
    self.expected = expected
  }

  var verdict: Verdict { ruling.verdict }

  var ruling: Ruling {
    planner.ruling(for: entry, local: local, recorded: recorded, remote: remote, localDigests: digests)
  }

  /// Holds the verdict against what is expected.
  func check() {
    // A row that is named after one of the table must have come from it.
    let number = name.prefix { $0 != ":" }
    if number.count < name.count, PlannerRule(rawValue: String(number)) != nil {
      #expect(ruling.rule.rawValue == number, "\(name)")
    }
    switch (expected, verdict) {
    case (.needsRemote, .needsRemote): break
    case (.needsDigests(let wanted), .needsLocalDigests(let asked)): #expect(asked == wanted)
    case (.decided(let action, let reason, let comparedBy, let fetch), .decided(let decision)):
      #expect(decision.action == action)
      #expect(decision.reason == reason)
      #expect(decision.comparedBy == comparedBy)
      if let fetch { #expect(decision.fetch == fetch) }
      #expect((decision.fetch != nil) == (action == .download || action == .update))
      #expect((decision.failure != nil) == (action == .error || action == .conflict))
    case (_, let verdict): Issue.record("\(name): \(verdict)")
    }
  }
}
