// The streams of one object: starts them where they bring something, shares the missing bytes out among them, and puts one
// download together from what they bring. The decisions are `RangePlan`, `StreamGrowth`, `RangePolicy` and `RangeAnswer`.

import TransferModel

/// Watches the first stream of a download, which is `ObjectDownload`'s own, and has further ones beside it. Lives on the
/// download's thread, until `stop`.
final class ParallelRanges {
  /// The first stream's number in the plan.
  static let first = 0
  private static let interval = Duration.milliseconds(100)
  /// A stream that is silent for so long, while others are not, gives its bytes to them. Where the rate is limited, silence
  /// means nothing.
  private static let patience = Duration.seconds(5)

  let download: ObjectDownload
  let sink: any DivisibleSink
  private(set) var plan: RangePlan
  /// The most streams that ran at the same time.
  private(set) var mostStreams = 1
  let records: StretchRecords

  private var growth: StreamGrowth
  private var streams: [Int: RangeStream] = [:]
  private var lastNumber = ParallelRanges.first
  /// Streams that were lent and not given back.
  private var lent = 0
  private var firstIsIdle = false
  /// When the first stream was started or last brought something, and when any of them did.
  private var firstLastHeard: MonotonicInstant
  /// Since the last sample.
  private var firstWasHeard = false
  private var lastHeard: MonotonicInstant
  /// Why a stream gave up, for when nothing else is left to go on with.
  private var lastFailure: TransferFailure?
  private var isStopped = false

  private var timer: TimerID?
  private var catchUpTimer: TimerID?
  private var came: Int64 = 0
  private var sampled: (instant: MonotonicInstant, idle: Duration)
  /// When it began, and what has come since.
  private let began: MonotonicInstant
  private var cameInAll: Int64 = 0

  /// - limit: streams at most, the first included.
  init(_ download: ObjectDownload, _ sink: any DivisibleSink, total: Int64, limit: Int) {
    self.download = download
    self.sink = sink
    plan = RangePlan(total: total, held: sink.stretches)
    growth = StreamGrowth(limit: limit)
    records = StretchRecords(download, sink, isDivided: sink.stretches.count > 1)
    began = download.loop.now
    firstLastHeard = began
    lastHeard = began
    sampled = (began, download.loop.idleTime)
    _ = plan.takeFirstHole(for: Self.first)
    timer = download.loop.schedule(after: Self.interval) { [self] in tick() }
  }

  /// Ends all streams but the first; nothing is called back from here on. The sink keeps what it has.
  func stop() {
    isStopped = true
    for timer in [timer, catchUpTimer] { timer.map(download.loop.cancel) }
    let running = streams.values
    streams = [:]
    for stream in running { stream.cancel() }
    returnStreams()
    records.stop()
  }

  private var running: Int { streams.count + (firstIsIdle ? 0 : 1) }

  // MARK: - The first stream

  /// What it is to ask for: the rest of its piece, else the first hole; nil when others have it all.
  func pieceOfFirst() -> RangePlan.Piece? {
    firstIsIdle = false
    firstLastHeard = download.loop.now
    return plan[Self.first] ?? plan.takeFirstHole(for: Self.first)
  }

  /// Its answer has ended. nil = too early.
  func firstDidEnd() -> AttemptCourse? {
    guard plan.room(of: Self.first) == 0 else { return nil }
    plan.end(Self.first)
    if !plan.holes.isEmpty { return .again }
    firstIsIdle = true
    guard streams.isEmpty else {
      fill()
      return .wait
    }
    guard isBehind else { return .conclude }
    finishWhenCaughtUp()
    return .wait
  }

  // MARK: - Bytes

  func take(_ bytes: UnsafeRawBufferPointer, for stream: Int) -> TransferFailure? {
    let isToldOf = download.count(bytes.count)
    came += Int64(bytes.count)
    cameInAll += Int64(bytes.count)
    if stream == Self.first { firstWasHeard = true }
    guard let piece = plan[stream] else { return nil }
    let wanted = UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(clamping: piece.remaining)))
    do throws(TransferFailure) {
      try sink.write(wanted, at: piece.next)
    } catch {
      return error
    }
    plan.advance(stream, by: Int64(wanted.count))
    if isToldOf { download.tellPosition() }
    return nil
  }

  // MARK: - Time

  private func tick() {
    timer = download.loop.schedule(after: Self.interval) { [self] in tick() }
    let (now, idle) = (download.loop.now, download.loop.idleTime)
    let sample = StreamGrowth.Sample(
      elapsed: now - sampled.instant, bytes: came, idle: idle - sampled.idle, missing: plan.missing)
    sampled = (now, idle)
    came = 0
    relieveSilentStreams(now)
    guard !isStopped else { return }
    if download.streamLender?.wantsStreamsBack == true, let youngest = streams.keys.max() {
      growth.correct(to: max(1, running - 1))
      streams[youngest]?.cancel()
    } else if records.consent != .asked, sink.position > 0, case .grow = growth.decide(sample) {
      records.askToDivide { [weak self] in self?.fill() }
    }
    fill()
    guard !isStopped else { return }
    records.refresh(held: plan.held, now: now)
    catchUp()
  }

  // MARK: - Streams

  /// Starts as many streams as are worth having and allowed.
  private func fill() {
    guard !isStopped else { return }
    if firstIsIdle, !plan.holes.isEmpty {
      firstIsIdle = false
      if let failure = lastFailure.take() {
        download.attempts?.conclude(waiting: failure)
      } else {
        download.attempts?.goOn()
      }
    }
    guard !isStopped, records.consent == .given, growth.level > 1 else { return }
    while running < growth.level {
      if running > lent {
        guard download.streamLender?.lendStream() ?? true else { break }
        lent += 1
      }
      guard plan.takeShare(for: lastNumber + 1, minimum: minimumPiece) != nil else { break }
      lastNumber += 1
      let stream = RangeStream(lastNumber, of: self)
      streams[lastNumber] = stream
      mostStreams = max(mostStreams, running)
      stream.start()
    }
    returnStreams()
    growth.correct(to: running)
  }

  /// What a stream brings in half a second: less is not worth a request.
  private var minimumPiece: Int64 {
    let rate = Double(cameInAll) / max(0.1, (download.loop.now - began).inSeconds)
    return max(RangePolicy.minimumPiece, Int64(rate / Double(max(1, running)) / 2))
  }

  private func returnStreams() {
    let needed = isStopped ? 0 : max(0, running - 1)
    while lent > needed {
      lent -= 1
      download.streamLender?.giveBackStream()
    }
  }

  func request(for stream: RangeStream) throws(TransferFailure) -> (HTTPRequest, RangeAnswer.Question) {
    guard let piece = plan[stream.number] else {
      throw TransferFailure(.internalError, .permanent, "a stream without a piece asks for bytes")
    }
    let (request, isConditional) = download.rangeRequest(ByteRange(first: piece.next, last: piece.end - 1))
    return (
      request,
      RangeAnswer.Question(
        range: piece.next..<piece.end, total: plan.total, version: download.version, isConditional: isConditional)
    )
  }

  private func relieveSilentStreams(_ now: MonotonicInstant) {
    if firstWasHeard { firstLastHeard = now }
    firstWasHeard = false
    for stream in streams.values { stream.noteHeard(at: now) }
    lastHeard = streams.values.reduce(max(lastHeard, firstLastHeard)) { max($0, $1.lastHeard) }
    // Where bytes are rationed, silence may be our own.
    guard !download.services.rates.limitsBytes else { return }
    for stream in Array(streams.values) where isSilent(since: stream.lastHeard, now) {
      growth.end(at: max(1, running - 1))
      stream.cancel()
    }
    guard !isStopped, download.attempts?.exchange != nil, isSilent(since: firstLastHeard, now) else { return }
    firstLastHeard = now
    download.attempts?.interrupt(
      with: TransferFailure(
        .stalled, .transient, "\(download.place): nothing came for \(Int(Self.patience.inSeconds)) s, by others it did")
    )
  }

  private func isSilent(since instant: MonotonicInstant, _ now: MonotonicInstant) -> Bool {
    now - instant >= Self.patience && lastHeard > instant
  }

  /// Ends a stream whose server asked for patience, unless it is the only one.
  func retire(_ stream: RangeStream) {
    guard running > 1 else { return }
    growth.end(at: running - 1)
    download.loop.schedule(after: .zero) { stream.cancel() }
  }

  func ended(_ stream: RangeStream, _ result: AttemptLoopResult) {
    guard streams.removeValue(forKey: stream.number) != nil, !isStopped else { return }
    plan.end(stream.number)
    if download.isOpenEnded { plan.extend(Self.first) }
    returnStreams()
    download.noteAttempts(of: result)
    switch stream.trouble {
    case .changed?:
      download.attempts?.interrupt(
        with: TransferFailure(
          .changedDuringTransfer, .integrity, "\(download.place): the object was replaced during the transfer"))
      return
    case .ignored?, .untrusted?:
      fallBack()
      return
    case .take?, nil: break
    }
    if let failure = result.failure, failure.failureClass != .cancelled {
      if failure.failureClass == .local {
        download.attempts?.interrupt(with: failure)
        return
      }
      growth.end(at: max(1, running))
      lastFailure = failure
    }
    fill()
    finishIfComplete()
  }

  /// Goes on with the first stream alone, without the bytes of the others: this server's ranges cannot be believed. Where
  /// the first stream is no more at its own first piece, the download starts over.
  private func fallBack() {
    download.divisionFailed = true
    growth.end(at: 1)
    let others = streams.values
    streams = [:]
    for stream in others { stream.cancel() }
    returnStreams()
    guard download.isOpenEnded, !firstIsIdle, plan.room(of: Self.first) > 0,
      plan[Self.first]?.next == sink.position
    else {
      download.rangesDisabled = true
      download.attempts?.interrupt(
        with: TransferFailure(
          .rangeNotSatisfiable, .integrity, "\(download.place): the server does not send the ranges it is asked for"))
      return
    }
    do throws(TransferFailure) {
      try sink.keepFirstStretch()
      plan = RangePlan(total: plan.total, held: sink.stretches)
      _ = plan.takeFirstHole(for: Self.first)
    } catch {
      download.attempts?.interrupt(with: error)
    }
  }

  // MARK: - The end

  private func finishIfComplete() {
    guard firstIsIdle, streams.isEmpty, plan.missing == 0 else { return }
    finishWhenCaughtUp()
  }

  private var isBehind: Bool { (try? sink.catchUp(atMost: 0)) ?? false }

  /// Hashes what came out of turn, in slices, so that the streams of this thread are not held up.
  private func catchUp() {
    guard catchUpTimer == nil, !isStopped else { return }
    do throws(TransferFailure) {
      guard try sink.catchUp(atMost: 8 << 20) else { return finishIfDone() }
      catchUpTimer = download.loop.schedule(after: .zero) { [self] in
        catchUpTimer = nil
        catchUp()
      }
    } catch {
      download.attempts?.interrupt(with: error)
    }
  }

  private var finishes = false

  private func finishWhenCaughtUp() {
    finishes = true
    catchUp()
  }

  private func finishIfDone() {
    guard finishes, !isStopped else { return }
    finishes = false
    download.loop.schedule(after: .zero) { [self] in
      guard !isStopped else { return }
      download.attempts?.conclude(waiting: download.prove(wasFramed: true))
    }
  }
}
