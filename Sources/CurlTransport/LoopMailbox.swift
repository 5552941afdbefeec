// What other threads leave for a loop, and how the loop is woken.

import CCurl
import TransferModel

/// The loop's inbox. The multi handle is here because waking it is the one libcurl call that other threads may make
/// (curl_multi_wakeup(3)); every other use is the loop's own.
final class LoopMailbox: Sendable {
  private struct Inbox {
    var works: [LoopWork] = []
    var isStopping = false
    /// Set before the multi handle is freed; it is not woken after that.
    var isClosed = false
  }

  private let inbox = Lock(Inbox())
  let statistics = Lock(CurlStatistics())
  /// Freed by the loop's thread in `close`, under the inbox's lock.
  nonisolated(unsafe) let multi: UnsafeMutableRawPointer

  init() throws(CurlTransport.SetupFailure) {
    guard let multi = curl_multi_init() else {
      throw CurlTransport.SetupFailure(call: "curl_multi_init", reason: "out of memory or of file descriptors")
    }
    self.multi = multi
  }

  /// Drops the work when the loop is stopping.
  func post(_ work: @escaping LoopWork) {
    inbox.withLock { inbox in
      guard !inbox.isStopping else { return }
      // One wake-up serves everything that is posted until the loop looks.
      if inbox.works.isEmpty { wake() }
      inbox.works.append(work)
    }
  }

  func requestStop() {
    inbox.withLock { inbox in
      guard !inbox.isStopping else { return }
      inbox.isStopping = true
      wake()
    }
  }

  /// Swaps the waiting work into `works`, which must be empty; true when the loop is to stop.
  func take(into works: inout [LoopWork]) -> Bool {
    inbox.withLock { inbox in
      swap(&inbox.works, &works)
      return inbox.isStopping
    }
  }

  func close() {
    inbox.withLock { inbox in
      guard !inbox.isClosed else { return }
      inbox.isStopping = true
      inbox.isClosed = true
      let result = curl_multi_cleanup(multi)
      assert(result == CURLM_OK, "curl_multi_cleanup: \(result.rawValue)")
    }
  }

  /// Called with the lock held and before `isClosed`. A failed wake-up costs at most the loop's longest sleep.
  private func wake() { _ = curl_multi_wakeup(multi) }
}
