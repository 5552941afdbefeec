// What the download of one entry asks for while it runs. Deciding what it has to be is `DownloadOrders`.

import FileTransfer
import LocalFiles
import MirrorPlan
import TransferModel

/// An entry on its way, with the run's handles.
final class EntryOrder: DownloadOwner {
  private let decided: DecidedEntry
  private let orders: DownloadOrders
  private let ticket: Int
  /// Whether it may be divided, and what its part holds then written down.
  private let keepsStretches: Bool

  init(_ decided: DecidedEntry, _ orders: DownloadOrders, ticket: Int, keepsStretches: Bool) {
    self.decided = decided
    self.orders = orders
    self.ticket = ticket
    self.keepsStretches = keepsStretches
  }

  private var entry: Entry { decided.facts.entry }

  func openSink(_ algorithms: DigestAlgorithms, _ version: ObjectVersion) throws(TransferFailure) -> any ByteSink {
    let (entry, directories) = (entry, try orders.ground.writing())
    let settings = entry.sharedSettings
    let options = fileOptions(entry, mode: settings.value.mode, version)
    guard entry.content == .decoded, StoredEncoding(contentEncoding: version.contentEncoding) == .gzip else {
      let needed = algorithms.union(entry.pins.algorithms)
      return try PartialFile(
        entry.destination, in: directories, digest: try StreamingDigest(needed), options: options)
    }
    let kept = entry.pins.algorithms.union([.crc32c])
    let file = try PartialFile(
      entry.destination, in: directories, digest: try StreamingDigest(kept),
      options: PartialFile.Options(unresumed: options))
    return try DecodingSink(
      into: file, place: entry.references[0].display, digest: try StreamingDigest(algorithms), pins: entry.pins,
      limit: settings.value.maxSize?.bytes)
  }

  private func fileOptions(_ entry: Entry, mode: UInt16?, _ version: ObjectVersion) -> PartialFile.Options {
    var options = PartialFile.Options()
    options.mode = mode
    options.durable = orders.isDurable
    if !orders.parts.isEmpty, let part = orders.parts[entry.destination] {
      options.resume = true
      options.stretches = part.stretches
    } else {
      options.resume = false
    }
    switch decided.facts.local {
    case .absent: options.replaced = .nothing
    case .file(_, let mode): options.replaced = .file(mode: mode)
    case .directory, .symlink, .other: break
    }
    if let size = version.size {
      if size < DownloadSpec.resumableBytes { options.continuable = false }
      // What will not fit into memory need not wait there first.
      if size > options.bufferLimit { options.bufferLimit = 0 } else { options.expectedSize = size }
    }
    return options
  }

  /// Writes down which version a part is of, as soon as it is big enough to be worth it, so that even a run that is killed
  /// leaves something to go on with.
  func becameResumable(_ version: ObjectVersion) {
    let entry = entry
    guard entry.content == .stored, let record = PartRecord(entry, version, noted: orders.clocks.utc()) else {
      return
    }
    // A record that cannot be kept costs a download from zero, nothing else.
    try? orders.state.keep(record)
  }

  func makeKeeper() -> (any StretchKeeper)? {
    guard keepsStretches else { return nil }
    return PartBooks(entry, state: orders.state, clocks: orders.clocks, threads: orders.recordThreads)
  }

  func refusal(ofBody bytes: Int64?) -> TransferFailure? {
    orders.allowance?.head(ticket, size: bytes, of: firstPlace)
  }

  private var firstPlace: String {
    orders.endpoints(of: entry, first: orders.firstReference(decided.decision)).first?.servedBy ?? ""
  }

  func advanced(to bytes: Int64, of total: Int64?) {
    guard max(bytes, total ?? 0) >= ActiveTransfers.worthShowing else { return }
    orders.progress.active.advance(entry.destination, bytes: bytes, total: total)
  }

  func waits(after failure: TransferFailure, _ wait: Duration) {
    orders.progress.active.wait(
      entry.destination, .init(reason: failure.reason.rawValue, until: orders.clocks.monotonic() + wait))
  }
}

extension PartialFile.Options {
  /// The same, for a file that cannot be continued.
  fileprivate init(unresumed options: PartialFile.Options) {
    self = options
    resume = false
  }
}
