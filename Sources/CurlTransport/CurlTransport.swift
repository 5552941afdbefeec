// The real transport: libcurl's multi interface on a few threads of its own.
// This file hands work to the threads and ends them; what a thread does is in `CurlLoop`.

import Glibc
package import TransferModel

/// An `HTTPTransport` on libcurl.
///
/// Proxy settings are taken from the environment, as libcurl does (`http_proxy`, `https_proxy`, `all_proxy`,
/// `no_proxy`). No `.netrc`, cookies, HSTS or alt-svc cache is read or kept. A transport that is dropped without
/// `shutdown` shuts itself down.
package final class CurlTransport: HTTPTransport {
  private let threads: [LoopThread]

  package var loopCount: Int { threads.count }

  /// Starts the threads. Throws when libcurl or a thread cannot be set up.
  package init(_ configuration: Configuration) throws(SetupFailure) {
    try CurlLibrary.require()
    var started: [LoopThread] = []
    do throws(SetupFailure) {
      for index in 0..<max(1, configuration.loopCount) {
        started.append(try LoopThread(index: index, configuration: configuration))
      }
    } catch {
      for thread in started { thread.stop() }
      for thread in started { thread.join() }
      throw error
    }
    threads = started
  }

  deinit {
    for thread in threads { thread.stop() }
    for thread in threads { thread.join() }
  }

  package func run(onLoop index: Int, _ work: @escaping @Sendable (any TransferLoop) -> Void) {
    let place = index % threads.count
    threads[place < 0 ? place + threads.count : place].run(work)
  }

  package func shutdown() {
    precondition(!threads.contains { $0.isCurrent }, "shutdown() was called from a loop's own thread")
    for thread in threads { thread.stop() }
    for thread in threads { thread.join() }
  }

  /// The counts of all loops together.
  package var statistics: CurlStatistics {
    threads.reduce(into: CurlStatistics()) { $0 += $1.statistics }
  }

  /// Why a transport could not be made: which call, and what it said.
  package struct SetupFailure: Error, CustomStringConvertible, Sendable {
    let call: String
    let reason: String
    package var description: String { "the HTTP transport cannot start: \(call): \(reason)" }
  }
}
