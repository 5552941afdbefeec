// Files behind nginx that every test knows the content of.

import Foundation
import TestSupport

/// Serves `f0`, `f1`, … of one size.
final class Site: Sendable {
  let server: NginxServer
  let served: TemporaryDirectory
  let size: Int
  let count: Int

  init(
    _ count: Int = 1, of size: Int, scheme: NginxServer.Scheme = .http,
    snippets: NginxServer.Snippets = NginxServer.Snippets(), certificate: SelfSignedCertificate? = nil
  ) throws {
    served = try TemporaryDirectory(on: .memory, named: "mirror-site")
    for number in 0..<count { try served.write(Self.content(number, size: size), to: "f\(number)") }
    server = try NginxServer(serving: served.path, scheme: scheme, snippets: snippets, certificate: certificate)
    self.size = size
    self.count = count
  }

  func content(_ number: Int) -> [UInt8] { Self.content(number, size: size) }

  /// Where a byte stands shows in it, and every file begins elsewhere. As `Data`: in a build without optimisation, arrays
  /// are copied and compared byte by byte.
  private static func content(_ number: Int, size: Int) -> [UInt8] {
    let start = (number * 7_919) % noise.count
    var data = noise.dropFirst(start).prefix(size)
    while data.count < size { data += noise.prefix(size - data.count) }
    return [UInt8](data)
  }

  /// Of a length that no buffer is a multiple of.
  private static let noise: Data = {
    var random = SplitMix64(seed: 1)
    return Data(random.bytes(65_521))
  }()

  /// All files as items, by way of `port` where something stands in between.
  ///
  /// - Parameter folders: each in a folder of its own.
  func items(by port: UInt16? = nil, sized: Bool = false, folders: Bool = false) -> [Bench.Item] {
    let scheme = server.scheme == .http ? "http" : "https"
    return (0..<count).map { number in
      Bench.Item(
        url: "\(scheme)://127.0.0.1:\(port ?? server.port)/f\(number)",
        to: folders ? "d\(number)/f\(number)" : "f\(number)", size: sized ? size : nil)
    }
  }

  /// What a child needs to trust the server.
  var trust: [String: String] { server.certificate.map { ["SSL_CERT_FILE": $0.certificatePath] } ?? [:] }

  /// Whether each file of the root is the whole one; names that are not there are fine.
  func holdsOnlyWholeFiles(_ bench: Bench) -> Bool {
    (0..<count).allSatisfy { number in
      let found = bench.content("f\(number)") ?? bench.content("d\(number)/f\(number)")
      return found.map { Data($0) == Data(content(number)) } ?? true
    }
  }

  /// Whether every file has arrived.
  func isMirrored(in bench: Bench) -> Bool { bench.names().count == count && holdsOnlyWholeFiles(bench) }
}
