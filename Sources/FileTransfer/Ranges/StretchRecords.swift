// What is written down of a divided part, and when: before the first byte out of turn, and again as bytes come.

import TransferModel

/// Asks the `StretchKeeper` of one download. Lives on the download's thread.
final class StretchRecords {
  enum Consent {
    case none
    case asked
    /// The part is known to be divided: bytes may be written out of turn.
    case given
    case refused
  }

  /// So many new bytes, or so long a time, are worth a record.
  private static let bytesBetween: Int64 = 64 << 20
  private static let timeBetween = Duration.seconds(2)

  private(set) var consent: Consent
  private let download: ObjectDownload
  private let sink: any DivisibleSink
  private var isWriting = false
  private var isStopped = false
  private var written: (held: Int64, instant: MonotonicInstant)

  /// - isDivided: the part was continued by what was written down of it.
  init(_ download: ObjectDownload, _ sink: any DivisibleSink, isDivided: Bool) {
    self.download = download
    self.sink = sink
    consent = isDivided ? .given : .none
    written = (sink.position, download.loop.now)
  }

  func stop() { isStopped = true }

  /// Writes down that the part is divided; `proceed` is called, on this thread, once that is durable, and never if it
  /// cannot be.
  func askToDivide(_ proceed: @escaping () -> Void) {
    guard consent == .none else { return proceed() }
    guard download.keeper != nil else {
      consent = .given
      return proceed()
    }
    consent = .asked
    write { [weak self] isWritten in
      self?.consent = isWritten ? .given : .refused
      if isWritten { proceed() }
    }
  }

  /// Writes down what is there now, if that is worth it.
  func refresh(held: Int64, now: MonotonicInstant) {
    guard consent == .given, !isWriting, held - written.held >= RangePolicy.minimumPiece else { return }
    guard held - written.held >= Self.bytesBetween || now - written.instant >= Self.timeBetween else { return }
    written = (held, now)
    write { _ in }
  }

  private func write(_ done: @escaping (Bool) -> Void) {
    guard let keeper = download.keeper else { return }
    do throws(TransferFailure) {
      guard let syncing = try sink.syncing() else { return done(false) }
      isWriting = true
      let failed = TransferFailure(.internalError, .local, "the stretches of a part could not be written down")
      let answer = LoopResumption(transport: download.services.transport, loop: download.loop) { [weak self] failure in
        guard let self, !isStopped else { return }
        isWriting = false
        done(failure == nil)
      }
      keeper.keep(download.version, sink.stretches, after: syncing) { answer.deliver($0 ? nil : failed) }
    } catch {
      done(false)
    }
  }
}
