// Turns a decision into a download: endpoints, expectations, and the sink below the root.

import FileTransfer
import LocalFiles
import MirrorPlan
import TransferModel

/// Makes the download of an entry, from the run's handles; nothing is opened before a transfer thread asks. A class,
/// because every download holds it (`EntryOrder`).
final class DownloadOrders: Sendable {
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
  let recordThreads = BlockingThreads(count: 1)

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

  /// The endpoints in the order in which they are asked.
  func endpoints(of entry: Entry, first: Int) -> [any ObjectEndpoint] {
    let references = entry.references
    guard references.count > 1 else { return remote.endpoint(of: references[0]).map { [$0] } ?? [] }
    return order(references, first).compactMap { remote.endpoint(of: references[$0]) }
  }

  /// The place, among the entry's references, of one of these endpoints.
  func place(ofEndpoint number: Int, of entry: Entry, first: Int) -> Int {
    let references = entry.references
    guard references.count > 1 else { return 0 }
    return order(references, first).filter { remote.endpoint(of: references[$0]) != nil }[number]
  }

  private func order(_ references: [Reference], _ first: Int) -> [Int] {
    references.indices.map { (first + $0) % references.count }
  }

  /// nil when no reference names an object.
  func spec(_ decided: DecidedEntry) -> DownloadSpec? {
    let entry = decided.facts.entry
    let endpoints = endpoints(of: entry, first: firstReference(decided.decision))
    guard !endpoints.isEmpty else { return nil }
    let settings = entry.sharedSettings
    let part = parts.isEmpty ? nil : parts[entry.destination]
    let order = EntryOrder(decided, self)
    var spec = DownloadSpec(
      endpoints: endpoints, pins: Self.pins(decided.facts),
      standing: settings.value.content == .stored ? decided.decision.standing : nil,
      maxSize: settings.value.maxSize?.bytes,
      proof: Self.proof(settings.value.verify), keepsModified: settings.value.modified == .source,
      timeouts: settings.value.timeouts, deadline: settings.value.itemDeadline, retry: settings.value.retry,
      openSink: { algorithms, version throws(TransferFailure) in try order.openSink(algorithms, version) },
      becameResumable: { order.keepPart($0) }, progress: progress.received,
      advanced: { order.advance(bytes: $0, total: $1) }, waits: { order.wait($0, $1) })
    switch decided.decision.fetch {
    case .version(let version)?: spec.listed = version
    case .conditional(let validator, _)?: spec.known = validator
    case .whole?, nil: break
    }
    guard settings.value.content == .stored else { return spec }
    if let part, entry.references.count == 1, part.source == entry.sourceKey.text { spec.part = part.version }
    allowRanges(&spec, order, settings.value.ranges, hasPart: part != nil)
    return spec
  }

  private func allowRanges(_ spec: inout DownloadSpec, _ order: EntryOrder, _ policy: RangePolicy, hasPart: Bool) {
    var policy = policy
    if let streams { policy.streams = streams }
    // Whatever is known to be small is not burdened with it.
    if case .present(let version) = order.decided.facts.remote, let size = version.size, size < policy.cutoff, !hasPart
    {
      return
    }
    spec.ranges = policy
    spec.hasPartRecord = hasPart
    spec.makeKeeper = { order.keeper() }
  }

  /// The manifest's pins are of the bytes as they are kept, the lock file's of the bytes as they are stored.
  private static func pins(_ facts: EntryFacts) -> DownloadSpec.Pins {
    let entry = facts.entry
    var digests = entry.content == .stored ? entry.pins : DigestSet()
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
