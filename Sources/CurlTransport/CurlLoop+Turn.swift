// The thread's life: turn after turn, then the end. Each step leaves the loop in a state where handlers may be called.

import CCurl
import Glibc
import TransferModel

extension CurlLoop {
  /// The longest sleep; whatever matters wakes the loop before.
  private static let longestSleep: Int32 = 60_000

  func runUntilStopped() {
    while !mailbox.take(into: &works) {
      runWorks()
      fireTimers()
      resumePaused()
      admit()
      perform()
      reap()
      guard resumes.isEmpty && !admission.hasNext else { continue }
      reviewHosts()
      if !admission.hasNext { sleep() }
    }
    endEverything()
  }

  private func runWorks() {
    for work in works { work(self) }
    works.removeAll(keepingCapacity: true)
  }

  private func fireTimers() {
    guard !timers.isEmpty else { return }
    // One reading for all: a timer that sets itself again with no delay waits for the next turn.
    let now = now
    while let action = timers.popDue(at: now) { action() }
  }

  private func resumePaused() {
    guard !resumes.isEmpty else { return }
    let due = resumes
    resumes.removeAll(keepingCapacity: true)
    for id in due {
      guard let slot = running[id], slot.isPaused else { continue }
      slot.isPaused = false
      // Hands out what was held back, from within.
      let code = inLibrary { curl_easy_pause(slot.easy, CURLPAUSE_CONT) }
      // The transfer stays in the multi handle when that fails, so it is ended here. It may have been cancelled.
      if code != CURLE_OK, running.contains(slot), slot.id == id { end(slot, code) }
    }
  }

  /// Tells libcurl how many connections a host may have, where that has changed.
  private func moveFence() {
    let fence = admission.connectionFence
    guard fence != connectionFence else { return }
    // Refused, it stays as it was: more connections than need be, and nothing worse.
    if ccurl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, fence) == CURLM_OK { connectionFence = fence }
  }

  private func admit() {
    moveFence()
    while let ticket = admission.next() {
      guard let next = waiting.remove(ticket.id) else {
        admission.finish(ticket.origin)
        continue
      }
      guard let fault = launch(ticket.id, next) else { continue }
      admission.finish(ticket.origin)
      finish(next.handler, ExchangeEnd(result: .failed(fault)))
    }
  }

  /// nil when the exchange is on its way.
  private func launch(_ id: ExchangeID, _ next: Waiting) -> TransportFault? {
    if let violation = RequestViolation.found(in: next.request) {
      return TransportFault(.other, detail: violation.reason)
    }
    let origin = next.request.url.origin
    let expected = next.request.expectedBytes ?? bodySizes.expected(from: origin)
    guard let slot = takeSlot(ExchangeSlot.Buffer(expecting: expected), for: origin) else {
      return TransportFault(.outOfMemory, detail: "libcurl could not make a transfer handle")
    }
    slot.attach(id, next.request, next.handler)
    let prepared = slot.prepare(next.request)
    guard prepared == CURLE_OK else {
      _ = slot.detach()
      giveBack(slot)
      return TransportFault(
        CurlFault(code: prepared.rawValue).kind, detail: String(cString: curl_easy_strerror(prepared)))
    }
    let added = curl_multi_add_handle(multi, slot.easy)
    guard added == CURLM_OK else {
      _ = slot.detach()
      giveBack(slot)
      return TransportFault(.other, detail: String(cString: curl_multi_strerror(added)))
    }
    running.insert(slot)
    return nil
  }

  private func perform() {
    guard !running.isEmpty else { return }
    var count: Int32 = 0
    let code = inLibrary { curl_multi_perform(multi, &count) }
    if code != CURLM_OK { failEverything(code) }
  }

  private func reap() {
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE else { continue }
      // The message is gone once its handle is taken out.
      let code = ccurl_message_result(message)
      guard let easy = message.pointee.easy_handle, let slot = Self.slot(of: easy), running.contains(slot)
      else { continue }
      end(slot, code)
    }
  }

  private func sleep() {
    var milliseconds = Self.longestSleep
    if let deadline = timers.nextDeadline() {
      // Rounded up: waking early would spin until the deadline.
      let wait = (deadline - now).inMilliseconds + 1
      milliseconds = Int32(min(max(0, wait), Int64(milliseconds)))
    }
    let before = Self.nanoseconds
    let code = curl_multi_poll(multi, nil, 0, milliseconds, nil)
    idleNanoseconds += Self.nanoseconds - before
    if code != CURLM_OK {
      failEverything(code)
      // Out of memory or of descriptors: do not spin.
      usleep(10_000)
    }
  }

  private static var nanoseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  private func failEverything(_ code: CURLMcode) {
    for slot in running.all.sorted(by: { $0.id.value < $1.id.value }) where running.contains(slot) {
      slot.ending = slot.ending ?? .broken(String(cString: curl_multi_strerror(code)))
      end(slot, CURLE_FAILED_INIT)
    }
  }

  /// Work that was accepted is run, so that whoever waits for it is answered; every exchange, also those that are
  /// started meanwhile, ends as cancelled. Timers are dropped. A handler that answers each `.cancelled` with a new
  /// exchange keeps the loop from ending.
  private func endEverything() {
    runWorks()
    while !waiting.isEmpty || !running.isEmpty || !unanswered.ids.isEmpty {
      let ids = waiting.ids + running.all.map(\.id) + unanswered.ids
      for id in ids.sorted(by: { $0.value < $1.value }) { cancel(id) }
    }
  }

  /// While libcurl is at work no handle may be taken out of the multi handle (`CURLM_RECURSIVE_API_CALL`); those that
  /// ended meanwhile are taken out after.
  private func inLibrary<Result>(_ call: () -> Result) -> Result {
    isInLibrary = true
    let result = call()
    isInLibrary = false
    for slot in retiring { recycle(slot) }
    retiring.removeAll(keepingCapacity: true)
    return result
  }

  private static func slot(of easy: UnsafeMutableRawPointer) -> ExchangeSlot? {
    var context: UnsafeMutableRawPointer?
    guard ccurl_get_pointer(easy, CURLINFO_PRIVATE, &context) == CURLE_OK, let context else { return nil }
    return Unmanaged<ExchangeSlot>.fromOpaque(context).takeUnretainedValue()
  }
}
