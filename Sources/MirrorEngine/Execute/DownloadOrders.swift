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
  /// What may be transferred at all; nil = everything.
  let allowance: TransferAllowance?
  let recordThreads = BlockingThreads(count: 1)
  /// Those that were asked for last: entries mostly have the settings of the one before.
  private let latestTerms = Lock<Terms?>(nil)

  private struct Terms {
    var settings: Shared<TransferSettings>
    var terms: Shared<DownloadTerms>
  }

  init(
    remote: RemoteStore, ground: RunGround, state: StateStore, clocks: any Clocks, progress: RunProgress,
    isDurable: Bool, parts: [RelativePath: PartRecord], streams: Int?, allowance: TransferAllowance?
  ) {
    self.allowance = allowance
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
  func spec(_ decided: DecidedEntry, _ ticket: Int) -> Shared<DownloadSpec>? {
    let entry = decided.facts.entry
    let endpoints = endpoints(of: entry, first: firstReference(decided.decision))
    guard !endpoints.isEmpty else { return nil }
    let settings = entry.sharedSettings
    let isStored = settings.value.content == .stored
    let terms = terms(settings)
    let part = isStored && !parts.isEmpty ? parts[entry.destination] : nil
    let mayDivide = isStored && mayDivide(decided, terms, hasPart: part != nil)
    var listed: ObjectVersion?
    var known: Validator?
    switch decided.decision.fetch {
    case .version(let version)?: listed = version
    case .conditional(let validator, _)?: known = validator
    case .whole?, nil: break
    }
    var spec = DownloadSpec(
      endpoints: endpoints, owner: EntryOrder(decided, self, ticket: ticket, keepsStretches: mayDivide), terms: terms,
      pins: Self.pins(decided.facts), listed: listed, known: known,
      standing: isStored ? decided.decision.standing : nil,
      part: part.flatMap { continues($0, entry) ? $0.version : nil })
    spec.mayDivide = mayDivide
    spec.hasPartRecord = mayDivide && part != nil
    return Shared(spec)
  }

  private func continues(_ part: PartRecord, _ entry: Entry) -> Bool {
    entry.references.count == 1 && part.source == entry.sourceKey.text
  }

  /// Whatever is known to be small is not burdened with it.
  private func mayDivide(_ decided: DecidedEntry, _ terms: Shared<DownloadTerms>, hasPart: Bool) -> Bool {
    guard !hasPart, let policy = terms.value.ranges, case .present(let version) = decided.facts.remote,
      let size = version.size
    else { return true }
    return size >= policy.cutoff
  }

  private func terms(_ settings: Shared<TransferSettings>) -> Shared<DownloadTerms> {
    latestTerms.withLock { latest in
      if let latest, latest.settings === settings { return latest.terms }
      var ranges = settings.value.ranges
      if let streams { ranges.streams = streams }
      let terms = Shared(
        DownloadTerms(
          maxSize: settings.value.maxSize?.bytes, proof: Self.proof(settings.value.verify),
          keepsModified: settings.value.modified == .source, timeouts: settings.value.timeouts,
          deadline: settings.value.itemDeadline, retry: settings.value.retry, ranges: ranges,
          progress: progress.received))
      latest = Terms(settings: settings, terms: terms)
      return terms
    }
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

  private static func proof(_ verify: TransferSettings.Verify) -> DownloadTerms.Proof {
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
