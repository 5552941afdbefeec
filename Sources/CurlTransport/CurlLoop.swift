// One loop: the exchanges of one thread, their handles and timers. `CurlLoop+Turn` is what drives it.
// Made by `LoopThread`, then touched by its thread alone.

import CCurl
import Glibc
import TransferModel

final class CurlLoop: TransferLoop {
  struct Waiting {
    let request: HTTPRequest
    let handler: any ExchangeHandler
  }

  let index: Int
  let configuration: CurlTransport.Configuration
  let mailbox: LoopMailbox
  /// A copy that outlives the handles, which only point to it.
  let trustedPEM: UnsafeRawBufferPointer?
  let hasSystemBundle = CurlLibrary.hasSystemBundle()
  let environmentHasProxy = CurlLibrary.environmentHasProxy

  var admission: Admission
  /// What libcurl was told last.
  var connectionFence: Int
  var timers = TimerQueue()
  /// Started and not running yet.
  var waiting = WaitingExchanges<Waiting>()
  var running = RunningSlots()
  /// Paused exchanges that are to flow again in the next turn.
  var resumes: [ExchangeID] = []
  /// Handles whose exchange has ended while libcurl was at work, when none may be taken out of the multi handle.
  var retiring: [ExchangeSlot] = []
  /// Kept for its capacity.
  var works: [LoopWork] = []
  var isInLibrary = false
  var unanswered = UnansweredNames()
  var idleNanoseconds: Int64 = 0
  var families = AddressFamilies()

  private var idle = IdleSlots()
  var bodySizes = BodySizes()
  var watch = HostWatch()
  private var lastID: UInt64 = 0
  private var isDisposed = false

  var multi: UnsafeMutableRawPointer { mailbox.multi }

  init(
    index: Int, configuration: CurlTransport.Configuration, mailbox: LoopMailbox
  ) throws(CurlTransport.SetupFailure) {
    self.index = index
    self.configuration = configuration
    self.mailbox = mailbox
    connectionFence = configuration.connectionsPerHost
    admission = Admission(
      slots: configuration.slotsPerLoop, connectionsPerHost: configuration.connectionsPerHost,
      mostPerHost: configuration.mostConnectionsPerHost,
      connectionsMultiplexed: max(1, CurlTransport.Configuration.multiplexedConnections / configuration.loopCount))
    trustedPEM = configuration.caPEM.map { pem in
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: pem.count, alignment: 1)
      copy.copyBytes(from: pem)
      return UnsafeRawBufferPointer(copy)
    }
    let settings: [(CURLMoption, Int)] = [
      (CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX)),
      (CURLMOPT_MAX_HOST_CONNECTIONS, configuration.connectionsPerHost),
      // Fewer than handles would close connections that are about to be used again.
      (CURLMOPT_MAXCONNECTS, 2 * configuration.slotsPerLoop),
    ]
    for (option, value) in settings {
      let code = ccurl_multi_set_long(mailbox.multi, option, value)
      guard code == CURLM_OK else {
        dispose()
        throw CurlTransport.SetupFailure(
          call: "curl_multi_setopt", reason: String(cString: curl_multi_strerror(code)))
      }
    }
  }

  /// Frees everything of libcurl's. After the loop has ended, or instead of its running.
  func dispose() {
    guard !isDisposed else { return }
    isDisposed = true
    idle = IdleSlots()
    timers = TimerQueue()
    works.removeAll()
    mailbox.close()
    trustedPEM?.deallocate()
  }

  // MARK: - TransferLoop

  var now: MonotonicInstant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicInstant(sinceOrigin: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
  }

  /// Not the time that the processor was used: on a busy machine a thread that has no moment to lose gets little of it.
  var idleTime: Duration { .nanoseconds(idleNanoseconds) }

  @discardableResult
  func start(_ request: HTTPRequest, delivering handler: any ExchangeHandler) -> ExchangeID {
    lastID += 1
    let id = ExchangeID(lastID)
    waiting.append(Waiting(request: request, handler: handler), as: id)
    admission.enqueue(id, for: request.url.origin)
    return id
  }

  func cancel(_ exchange: ExchangeID) {
    if let waiting = waiting.remove(exchange) {
      // Its place in the admission queue is skipped when it comes up.
      finish(waiting.handler, ExchangeEnd(result: .cancelled))
    } else if let slot = running[exchange] {
      slot.ending = .cancelled
      // From its own callback: the callback's answer ends it.
      guard !slot.isInCallback else { return }
      end(slot, CURLE_ABORTED_BY_CALLBACK)
    } else if let unanswered = unanswered.remove(exchange) {
      var end = unanswered.end
      end.result = .cancelled
      finish(unanswered.handler, end)
    }
  }

  func resumeBody(of exchange: ExchangeID) {
    guard running[exchange]?.isPaused == true else { return }
    resumes.append(exchange)
  }

  @discardableResult
  func schedule(after delay: Duration, _ action: @escaping () -> Void) -> TimerID {
    timers.schedule(at: now + delay, action)
  }

  func cancel(_ timer: TimerID) { timers.cancel(timer) }

  // MARK: - Ends

  /// Ends the exchange of a slot, gives the slot back and then tells the handler, which may start the next one.
  func end(_ slot: ExchangeSlot, _ code: CURLcode) {
    let (end, counts) = slot.end(code)
    learnFamily(of: slot, end)
    let id = slot.id
    if case .complete = end.result { bodySizes.note(end.bytesReceived, from: slot.origin) }
    noteEnd(end, of: slot)
    running.remove(slot)
    let handler = slot.detach()
    if isInLibrary {
      retiring.append(slot)
    } else {
      recycle(slot)
    }
    guard let handler else { return count(counts) }
    if case .failed(let fault) = end.result, fault.kind == .nameNotFound {
      count(counts)
      awaitName(slot.origin.host, UnansweredNames.Exchange(id: id, handler: handler, end: end, detail: fault.detail))
    } else {
      finish(handler, end, counts)
    }
  }

  func finish(_ handler: any ExchangeHandler, _ end: ExchangeEnd, _ counts: CurlStatistics = CurlStatistics()) {
    var counts = counts
    counts.exchangesEnded += 1
    count(counts)
    handler.exchangeDidEnd(end, on: self)
  }

  private func count(_ counts: CurlStatistics) { mailbox.statistics.withLock { $0 += counts } }

  // MARK: - Slots

  func takeSlot(_ buffer: ExchangeSlot.Buffer, for origin: Origin) -> ExchangeSlot? {
    let connection = configuration.hosts.isEmpty ? nil : configuration.hosts[origin]
    let kind = ExchangeSlot.Kind(buffer: buffer, connection: connection)
    return idle.take(kind) ?? ExchangeSlot(loop: self, kind)
  }

  /// Takes the handle out of the multi handle; a connection in the middle of a response is closed by that.
  func recycle(_ slot: ExchangeSlot) {
    admission.finish(slot.origin, wasAnswered: slot.framing != nil)
    // A handle that cannot be taken out is not used again; freeing it takes it out.
    guard curl_multi_remove_handle(multi, slot.easy) == CURLM_OK else { return }
    giveBack(slot)
  }

  func giveBack(_ slot: ExchangeSlot) {
    slot.forgetBody()
    idle.put(slot)
  }
}
