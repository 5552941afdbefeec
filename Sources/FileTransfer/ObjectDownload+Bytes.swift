// What becomes of a body: into the sink, and, once it is whole, proven and put in place. The tables are `DigestChoice` and
// `DownloadProof`.

import LocalFiles
package import TransferModel

extension ObjectDownload {
  package func take(_ bytes: UnsafeRawBufferPointer) -> TransferFailure? {
    guard let sink else { return TransferFailure(.internalError, .permanent, "bytes came before a head") }
    if let ranges {
      let failure = ranges.take(bytes, for: ParallelRanges.first)
      announceIfResumable(sink)
      return failure
    }
    let isToldOf = count(bytes.count)
    if let limit = spec.terms.maxSize, sink.position + Int64(bytes.count) > limit {
      excessSize = total ?? sink.position + Int64(bytes.count)
      return TransferFailure(
        .sizeLimitExceeded, .permanent,
        "\(spec.endpoints[mirror].servedBy) is larger than the \(limit) bytes that `max_size` allows",
        hint: "Raise `max_size` if it is meant to be that large.")
    }
    do throws(TransferFailure) {
      try sink.write(bytes)
    } catch {
      return error
    }
    if isToldOf { tellPosition() }
    announceIfResumable(sink)
    return nil
  }

  package var hasEnough: Bool { ranges?.plan.room(of: ParallelRanges.first) == 0 }

  /// Counts bytes that came over the wire. Whether it is time to tell how far the body is.
  func count(_ bytes: Int) -> Bool {
    received += Int64(bytes)
    let told = untold.add(bytes, now: loop.now)
    if told > 0 { spec.terms.progress?.add(told) }
    return told > 0
  }

  func tellPosition() {
    if let ranges {
      spec.owner.advanced(to: ranges.plan.held, of: ranges.plan.total)
    } else if let sink {
      spec.owner.advanced(to: sink.position, of: total)
    }
  }

  /// The body has ended.
  func tellRest() {
    let rest = untold.takeRest()
    guard rest > 0 else { return }
    spec.terms.progress?.add(rest)
    tellPosition()
  }

  private func announceIfResumable(_ sink: any ByteSink) {
    // Of a divided part, more is written down than its version.
    if !announcedResumable, !isDivided, ranges?.records.consent != .given, ranges?.records.consent != .asked,
      sink.position >= DownloadSpec.resumableBytes, version.mayResume
    {
      announcedResumable = true
      hasRecord = true
      spec.owner.becameResumable(version)
    }
  }

  package func startOver() -> TransferFailure? {
    resumed = 0
    total = nil
    version = ObjectVersion()
    announcedResumable = false
    endStreams()
    forgetRecord()
    do throws(TransferFailure) {
      try sink?.restart()
    } catch {
      return error
    }
    return nil
  }

  package func finish(_ end: ExchangeEnd) -> TransferFailure? {
    nextCourse = .conclude
    tellRest()
    if case .unchanged? = ending { return nil }
    guard let ranges else { return prove(wasFramed: end.lengthWasFramed, lacksFarewell: end.lacksTLSFarewell) }
    guard let course = ranges.firstDidEnd() else {
      return TransferFailure(
        .truncated, .transient, "\(place): \(usefulBytes) of \(ranges.plan.total) bytes came")
    }
    nextCourse = course
    guard case .conclude = course else { return nil }
    return prove(wasFramed: end.lengthWasFramed, lacksFarewell: end.lacksTLSFarewell)
  }

  /// Judges the bytes that are there, all of them, and puts them in place.
  func prove(wasFramed: Bool, lacksFarewell: Bool = false) -> TransferFailure? {
    guard let sink else { return TransferFailure(.internalError, .permanent, "the answer had no body to take") }
    do throws(TransferFailure) {
      let received = DownloadProof.Received(
        size: sink.position, total: total, wasFramed: wasFramed, lacksFarewell: lacksFarewell,
        isTranscoded: isTranscoded,
        digests: try sink.digests(), version: version)
      let evidence = try DownloadProof.evidence(
        for: received, pins: spec.pins, proof: spec.terms.proof, place: spec.endpoints[mirror].servedBy)
      if case .equal? = spec.standing?.compare(with: received.digests) {
        sink.discard()
        ending = .identical(object(received, evidence, digests: received.digests, stamp: nil))
      } else {
        let stamp = try sink.commit(modified: spec.terms.keepsModified ? version.lastModified : nil)
        let decoding = sink as? DecodingSink
        let digests = decoding.map { $0.decodedDigests ?? DigestSet() } ?? received.digests
        ending = .stored(object(received, evidence, digests: digests, stamp: stamp))
      }
      self.sink = nil
      return nil
    } catch {
      // A whole that is wrong is fetched once more in one piece (P21).
      if error.reason == .checksumMismatch { divisionFailed = true }
      return error
    }
  }

  private func object(
    _ received: DownloadProof.Received, _ evidence: StoredObject.Evidence, digests: DigestSet, stamp: LocalStamp?
  ) -> StoredObject {
    var version = version
    version.size = received.size
    return StoredObject(
      version: version, digests: received.digests, fileDigests: digests, size: received.size, evidence: evidence,
      stamp: stamp)
  }
}
