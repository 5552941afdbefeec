// The server as its users see it: started, asked, stopped. In-process for tests, and behind `storage-emulator`.

import Glibc
import TransferModel

/// A storage server over HTTP: Firebase's `/v0` API, Google's JSON API and plain `/bucket/object` paths, over a folder and
/// over objects put in by code. It listens from `init` until `stop`, or until it is released.
///
/// It authenticates nobody and encrypts nothing: for tests and for trying things out, on loopback.
package final class StorageEmulator: Sendable {
  package let objects: ObjectStore
  package let faults = FaultBook()
  /// Where it listens; chosen by the system when the configuration said 0.
  package var port: UInt16 { daemon.port }
  /// `http://127.0.0.1:PORT`, without a slash at the end.
  package var url: String {
    let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
    return "http://\(host):\(port)"
  }

  private let configuration: EmulatorConfiguration
  private let requestLog: RequestLog
  private let daemon: HTTPDaemon
  private let isStopped = Lock(false)

  /// Throws when the address cannot be had, or when the configuration's scripts are not understood.
  package init(_ configuration: EmulatorConfiguration = EmulatorConfiguration()) throws(EmulatorFailure) {
    let objects = ObjectStore(root: configuration.root, named: configuration.buckets)
    let log = RequestLog(limit: configuration.logLimit)
    let desk = FrontDesk(objects: objects, faults: faults, log: log, configuration: configuration)
    try desk.reset()
    self.objects = objects
    self.configuration = configuration
    requestLog = log
    daemon = try HTTPDaemon(
      host: configuration.host, port: configuration.port, threads: max(1, configuration.threads),
      responder: { desk.respond(to: $0) })
  }

  deinit { stop() }

  /// All requests so far, in the order of their arrival.
  package var log: [LoggedRequest] { requestLog.snapshot }
  package func clearLog() { requestLog.clear() }

  /// Puts a fault script's objects in and its rules in force (`FaultScript`).
  package func play(_ script: String) throws(FaultScript.Violation) {
    let script = try FaultScript(parsing: script)
    script.putObjects(into: objects)
    faults.set(script.rules)
  }

  /// Ends all connections and gives the port back; a second call does nothing.
  package func stop() {
    let isFirst = isStopped.withLock { stopped in
      defer { stopped = true }
      return !stopped
    }
    if isFirst { daemon.stop() }
  }
}
