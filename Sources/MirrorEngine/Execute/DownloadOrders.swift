// Turns a decision into a download: endpoints, expectations, and the sink below the root.

import FileTransfer
import LocalFiles
import MirrorPlan
import TransferModel

/// Makes the download of an entry. A value with the run's handles; nothing is opened before a transfer thread asks.
struct DownloadOrders: Sendable {
  let remote: RemoteStore
  let ground: RunGround
  let state: StateStore
  let clocks: any Clocks
  let progress: RunProgress
  let isDurable: Bool
  /// Part files that an earlier run left and that are worth continuing.
  let parts: [RelativePath: PartRecord]
  /// Wins over what the manifest says of the streams of one object.
  let streams: Int?
  private let recordThreads = BlockingThreads(count: 1)

  init(
    remote: RemoteStore, ground: RunGround, state: StateStore, clocks: any Clocks, progress: RunProgress,
    isDurable: Bool, parts: [RelativePath: PartRecord], streams: Int?
  ) {
    self.remote = remote
    self.ground = ground
    self.state = state
    self.clocks = clocks
    self.progress = progress
    self.isDurable = isDurable
    self.parts = parts
    self.streams = streams
  }

  /// The endpoints in the order in which they are asked, each with its place among the entry's references.
  func order(_ entry: Entry, first: Int) -> [(place: Int, endpoint: any ObjectEndpoint)] {
    let count = entry.references.count
    return (0..<count).compactMap { offset in
      let place = (first + offset) % count
      return remote.endpoint(of: entry.references[place]).map { (place, $0) }
    }
  }

  /// nil when no reference names an object.
  func spec(_ decided: DecidedEntry) -> DownloadSpec? {
    let (facts, decision) = (decided.facts, decided.decision)
    let entry = facts.entry
    let settings = entry.settings
    let endpoints = order(entry, first: firstReference(decision)).map(\.endpoint)
    guard !endpoints.isEmpty else { return nil }
    let (part, openSink) = (parts[entry.destination], sinkOpener(decided))
    var spec = DownloadSpec(
      endpoints: endpoints,
      pins: Self.pins(facts),
      standing: settings.content == .stored ? decision.standing : nil, maxSize: settings.maxSize?.bytes,
      proof: Self.proof(settings.verify),
      keepsModified: settings.modified == .source, timeouts: settings.timeouts, deadline: settings.itemDeadline,
      retry: settings.retry, openSink: openSink, becameResumable: partKeeper(decided), progress: progress.received)
    let (active, clocks, destination) = (progress.active, clocks, entry.destination)
    spec.advanced = { active.advance(destination, bytes: $0, total: $1) }
    spec.waits = { failure, wait in
      active.wait(destination, .init(reason: failure.reason.rawValue, until: clocks.monotonic() + wait))
    }
    switch decision.fetch {
    case .version(let version)?: spec.listed = version
    case .conditional(let validator, _)?: spec.known = validator
    case .whole?, nil: break
    }
    if let part, settings.content == .stored, entry.references.count == 1, part.source == entry.sourceKey.text {
      spec.part = part.version
    }
    if settings.content == .stored { allowRanges(&spec, facts, hasPart: part != nil) }
    return spec
  }

  private func allowRanges(_ spec: inout DownloadSpec, _ facts: EntryFacts, hasPart: Bool) {
    let entry = facts.entry
    var policy = entry.settings.ranges
    if let streams { policy.streams = streams }
    // Whatever is known to be small is not burdened with it.
    if case .present(let version) = facts.remote, let size = version.size, size < policy.cutoff, !hasPart { return }
    spec.ranges = policy
    spec.hasPartRecord = hasPart
    spec.makeKeeper = { [state, clocks, recordThreads] in
      PartBooks(entry, state: state, clocks: clocks, threads: recordThreads)
    }
  }

  /// The manifest's pins are of the bytes as they are kept, the lock file's of the bytes as they are stored.
  private static func pins(_ facts: EntryFacts) -> DownloadSpec.Pins {
    let entry = facts.entry
    var digests = entry.settings.content == .stored ? entry.pins : DigestSet()
    if let locked = facts.locked { digests = digests.completed(by: locked.pins) }
    return DownloadSpec.Pins(digests: digests, size: entry.size?.bytes, generation: entry.generation)
  }

  func firstReference(_ decision: Decision) -> Int {
    if case .conditional(_, let reference)? = decision.fetch { return reference }
    return 0
  }

  private static func proof(_ verify: TransferSettings.Verify) -> DownloadSpec.Proof {
    switch verify {
    case .auto: .strongest
    case .strict: .digest
    case .off: .length
    }
  }

  private func sinkOpener(
    _ decided: DecidedEntry
  ) -> @Sendable (DigestAlgorithms, ObjectVersion) throws(TransferFailure) -> any ByteSink {
    let facts = decided.facts
    var options = PartialFile.Options()
    options.mode = facts.entry.settings.mode
    options.durable = isDurable
    options.resume = parts[facts.entry.destination] != nil
    options.stretches = parts[facts.entry.destination]?.stretches
    switch facts.local {
    case .absent: options.replaced = .nothing
    case .file(_, let mode): options.replaced = .file(mode: mode)
    case .directory, .symlink, .other: break
    }
    let (prepared, ground) = (options, ground)
    return { algorithms, version throws(TransferFailure) in
      var final = prepared
      if let size = version.size, size < DownloadSpec.resumableBytes { final.continuable = false }
      let (entry, directories) = (decided.facts.entry, try ground.writing())
      let decodes =
        entry.settings.content == .decoded && StoredEncoding(contentEncoding: version.contentEncoding) == .gzip
      guard decodes else {
        let needed = algorithms.union(entry.pins.algorithms)
        return try PartialFile(
          entry.destination, in: directories, digest: try StreamingDigest(needed), options: final)
      }
      let kept = entry.pins.algorithms.union([.crc32c])
      let file = try PartialFile(
        entry.destination, in: directories, digest: try StreamingDigest(kept),
        options: PartialFile.Options(unresumed: final))
      return try DecodingSink(
        into: file, place: entry.references[0].display, digest: try StreamingDigest(algorithms), pins: entry.pins,
        limit: entry.settings.maxSize?.bytes)
    }
  }

  /// Writes down which version a part is of, as soon as it is big enough to be worth it, so that even a run that is killed
  /// leaves something to go on with.
  private func partKeeper(_ decided: DecidedEntry) -> @Sendable (ObjectVersion) -> Void {
    let (state, clocks) = (state, clocks)
    return { version in
      let entry = decided.facts.entry
      guard entry.settings.content == .stored, let record = PartRecord(entry, version, noted: clocks.utc()) else {
        return
      }
      // A record that cannot be kept costs a download from zero, nothing else.
      try? state.keep(record)
    }
  }
}

extension PartialFile.Options {
  /// The same, for a file that cannot be continued.
  fileprivate init(unresumed options: PartialFile.Options) {
    self = options
    resume = false
  }
}

extension PartRecord {
  /// nil when nothing ties the bytes to a version.
  init?(_ entry: Entry, _ version: ObjectVersion, noted: Timestamp, stretches: [Range<Int64>]? = nil) {
    guard let validator = version.validator, validator.isStrong else { return nil }
    self.init(
      destination: entry.destination, temporaryName: TemporaryName.part(for: entry.destination),
      source: entry.sourceKey.text, validator: validator, total: version.size,
      bytes: stretches?.reduce(0) { $0 + $1.upperBound - $1.lowerBound } ?? DownloadSpec.resumableBytes, noted: noted,
      stretches: stretches)
  }

  /// What the bytes of the part are of.
  var version: ObjectVersion {
    var version = ObjectVersion(size: total)
    switch validator {
    case .generation(let generation): version.generation = generation
    case .strongETag(let tag), .weakETag(let tag): version.etag = tag
    case .lastModified(let date): version.lastModified = date
    }
    return version
  }
}
