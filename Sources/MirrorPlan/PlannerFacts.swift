// The four facts of one entry and what follows from them alone: what is known of the bytes at the destination.
// What is done about it is `PlannerTable`.

import TransferModel

/// What is known of the bytes at the destination; the first table of `Planner`.
enum LocalContent: Hashable {
  case nothing
  case blocked
  case standIn
  case recorded(RecordedFile, reproven: Bool)
  /// Not the recorded bytes; told by their digests, or by their size alone.
  case changed(RecordedFile, byHash: Bool)
  case foreign
}

struct PlannerFacts {
  let entry: Entry
  let local: LocalFact
  let recorded: RecordedFile?
  /// About the wanted version: what a listing says of another generation than the pinned one is left out.
  let remote: RemoteFact
  /// What was computed of the file.
  let localDigests: DigestSet
  /// The reference that `remote` is about.
  let asked: Int

  init(entry: Entry, local: LocalFact, recorded: RecordedFile?, remote: RemoteFact, localDigests: DigestSet) {
    self.entry = entry
    self.local = local
    self.recorded = recorded
    self.localDigests = localDigests
    asked = Planner.referenceToAsk(entry, recorded: recorded)
    if let generation = entry.generation, case .present(let version) = remote, version.generation != generation {
      self.remote = .present(ObjectVersion(generation: generation))
    } else {
      self.remote = remote
    }
  }

  enum Knowledge {
    case known(LocalContent)
    case mustRead(DigestAlgorithms)
  }

  func content(checksLocal: Bool) -> Knowledge {
    let stamp: LocalStamp
    switch local {
    case .absent, .symlink: return .known(.nothing)
    case .directory, .other: return .known(.blocked)
    case .file(let found, _): stamp = found
    }
    guard let recorded else { return .known(.foreign) }
    if recorded.isPlaceholder { return .known(stamp == recorded.stamp ? .standIn : .foreign) }
    if stamp == recorded.stamp, !checksLocal || recorded.digests.isEmpty {
      return .known(.recorded(recorded, reproven: false))
    }
    guard stamp.size == recorded.stamp.size, !recorded.digests.isEmpty else {
      return .known(.changed(recorded, byHash: false))
    }
    switch recorded.digests.compare(with: localDigests) {
    case .equal: return .known(.recorded(recorded, reproven: true))
    case .different: return .known(.changed(recorded, byHash: true))
    case .incomparable:
      return .mustRead(recorded.digests.worthComputing.union(entry.pins.algorithms))
    }
  }

  /// Whether the recorded bytes came from one of the entry's references.
  var isSameSource: Bool {
    recorded.map { entry.sourceKeys[asked].text.hasSameBytes(as: $0.source) } ?? false
  }

  /// Whether the reference that was asked is an object in a bucket.
  var isStorage: Bool {
    switch entry.references[asked] {
    case .storage: true
    case .web: false
    }
  }

  /// Whether the bytes on the disk are, or are to be, the bytes that the server stores and describes.
  func keepsStoredBytes(of version: ObjectVersion) -> Bool {
    entry.content == .stored || !version.isCoded
  }

  /// What is known of the digests of the file, read or recorded.
  func digests(of content: LocalContent) -> DigestSet {
    guard case .recorded(let row, _) = content else { return localDigests }
    return localDigests.completed(by: row.digests)
  }
}

extension ObjectVersion {
  /// Whether the stored bytes carry a content coding.
  var isCoded: Bool {
    guard let contentEncoding else { return false }
    return contentEncoding != "identity" && !contentEncoding.isEmpty
  }
}

extension DigestSet {
  /// The algorithms to compute for a comparison with this set: md5 is slow and only taken when it is all there is.
  var worthComputing: DigestAlgorithms {
    let better = algorithms.subtracting([.md5])
    return better.isEmpty ? algorithms : better
  }
}
