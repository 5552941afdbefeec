// What a server needs to know before it starts.

import Glibc

/// Where to listen and what to serve. With the defaults: loopback, a free port, no folder.
package struct EmulatorConfiguration: Sendable {
  /// A host name or address; IPv6 without brackets.
  package var host: String
  /// 0 = a free one.
  package var port: UInt16
  /// Threads that serve connections, 1 or more.
  package var threads: Int
  /// The folder whose folders are the buckets; nil = only `buckets` and what is put in by code or script.
  package var root: String?
  /// Buckets by name, each a folder.
  package var buckets: [String: String]
  /// A fault script that is in force from the start and again after each reset (`FaultScript`).
  package var faults: String
  /// A JSON text with metadata of objects (`MetadataFile`); empty = none.
  package var metadata: String
  package var quirks: Quirks
  /// The log keeps about this many requests.
  package var logLimit: Int
  /// Called for each request when its answer is decided, on the connection's thread; it must not block.
  package var onRequest: (@Sendable (LoggedRequest) -> Void)?

  package init(
    host: String = "127.0.0.1", port: UInt16 = 0, threads: Int = 2, root: String? = nil,
    buckets: [String: String] = [:],
    faults: String = "", metadata: String = "", quirks: Quirks = .production, logLimit: Int = 100_000,
    onRequest: (@Sendable (LoggedRequest) -> Void)? = nil
  ) {
    self.host = host
    self.port = port
    self.threads = threads
    self.root = root
    self.buckets = buckets
    self.faults = faults
    self.metadata = metadata
    self.quirks = quirks
    self.logLimit = logLimit
    self.onRequest = onRequest
  }
}

/// Why a server did not start, or a script was not taken.
package struct EmulatorFailure: Error, CustomStringConvertible, Sendable {
  package var description: String

  init(_ message: String) { description = message }

  /// With the system's text for an error number; 0 adds nothing.
  init(_ message: String, errno: Int32) {
    description = errno == 0 ? message : "\(message): \(String(cString: strerror(errno)))"
  }
}
