// What all storages of a process share: the transport with its connections, the clocks, what was learned about hosts.

import CurlTransport
package import FileTransfer
package import TransferModel

/// The machinery below the public API.
package final class StorageEngine: Sendable {
  package let transport: any HTTPTransport
  package let clocks: any Clocks
  package let hosts: HostMemory
  private let nextLoop = Lock(0)

  package init(transport: any HTTPTransport, clocks: any Clocks = SystemClocks(), hosts: HostMemory = HostMemory()) {
    self.transport = transport
    self.clocks = clocks
    self.hosts = hosts
  }

  /// The one that storages use unless they were given another; its threads start at the first request.
  static let shared = Result { () throws(CurlTransport.SetupFailure) in
    StorageEngine(transport: try CurlTransport(CurlTransport.Configuration(userAgent: "CloudStorage/\(version)")))
  }

  /// The version that requests name.
  package static let version = "0.1.0"

  /// The next loop in turn, so that operations spread over the threads.
  package func pickLoop() -> Int {
    nextLoop.withLock { index in
      defer { index = (index + 1) % max(1, transport.loopCount) }
      return index
    }
  }

  /// The services of one operation.
  package func services(authorizer: any RequestAuthorizer) -> TransferServices {
    let redactor = Redactor()
    return TransferServices(
      transport: transport, clocks: clocks, authorizer: authorizer, hosts: hosts, redact: { redactor.redact($0) })
  }
}
