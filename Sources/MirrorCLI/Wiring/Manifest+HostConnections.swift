// The hosts of a manifest that are reached in a way of their own, as the transport takes them.

import CurlTransport
import MirrorPlan
import TransferModel

extension Manifest {
  /// - Parameter directory: what the manifest's relative paths start from.
  func hostConnections(in directory: String) -> [Origin: CurlTransport.HostConnection] {
    var hosts: [Origin: CurlTransport.HostConnection] = [:]
    func path(_ text: String) -> String { text.hasPrefix("/") || directory.isEmpty ? text : directory + "/" + text }
    for case .host(let host) in auth where host.tls != nil || host.proxy != nil {
      var connection = hosts[host.origin] ?? CurlTransport.HostConnection()
      if let tls = host.tls {
        connection.authorityPath = tls.authority.map(path)
        connection.certificatePath = tls.certificate.map(path)
        connection.keyPath = tls.key.map(path)
      }
      switch host.proxy {
      case .direct: connection.proxy = .direct
      case .via(let origin): connection.proxy = .via(origin.description)
      case nil: break
      }
      hosts[host.origin] = connection
    }
    return hosts
  }
}
