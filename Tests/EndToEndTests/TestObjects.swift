// Bytes to serve, and what a server was asked.

import Foundation
import StorageEmulator

enum TestBytes {
  /// Bytes that look random and follow from the seed.
  static func make(_ count: Int, seed: UInt64 = 1) -> Data {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    var words = [UInt64](repeating: 0, count: (count + 7) / 8)
    for index in words.indices {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      words[index] = state ^ (state >> 29)
    }
    return words.withUnsafeBytes { Data($0.prefix(count)) }
  }
}

extension StorageEmulator {
  /// A server that has the objects in the bucket `b`, with a fault script in force.
  static func serving(_ objects: [String: Data] = [:], faults: String = "", threads: Int = 2) throws -> StorageEmulator
  {
    let server = try StorageEmulator(EmulatorConfiguration(threads: threads))
    server.objects.makeBucket("b")
    for (name, bytes) in objects { server.put(name, bytes) }
    try server.play(faults)
    return server
  }

  func put(_ name: String, _ bytes: Data) { objects.put("b", name, [UInt8](bytes)) }

  /// What was asked, as `GET /b/x`.
  var requests: [String] { log.map { "\($0.method) \($0.target)" } }

  /// The `Range` fields of the requests, in order; `-` where there was none.
  var ranges: [String] { log.map { $0.fields["Range"] ?? "-" } }

  /// How many connections brought the requests of the log.
  var connectionCount: Int { Set(log.map(\.connection)).count }

  /// A plain URL of an object in the bucket `b`.
  func link(_ name: String) -> String { "\(url)/b/\(name)" }
}
