// Which digests are computed while bytes pass.

import TestSupport
import Testing
import TransferModel

@testable import FileTransfer

@Suite("Choice of digests")
struct DigestChoiceTests {
  struct Row: CustomTestStringConvertible {
    var pinned: DigestAlgorithms = []
    var named: DigestAlgorithms = []
    var standing: DigestAlgorithms = []
    /// Whether the server's validator is strong.
    var isStrong = true
    var chosen: DigestAlgorithms

    var testDescription: String {
      "pinned \(pinned.all), named \(named.all), standing \(standing.all), \(isStrong ? "strong" : "weak"): \(chosen.all)"
    }
  }

  private static func digests(_ algorithms: DigestAlgorithms) -> DigestSet {
    var set = DigestSet()
    for algorithm in algorithms.all {
      set[algorithm] = Digest(algorithm, bytes: [UInt8](repeating: 7, count: algorithm.byteCount))
    }
    return set
  }

  @Test(arguments: [
    Row(chosen: [.crc32c]),
    Row(named: [.crc32c], chosen: [.crc32c]),
    Row(named: [.md5], chosen: [.crc32c, .md5]),
    Row(named: [.crc32c, .md5], chosen: [.crc32c]),
    Row(isStrong: false, chosen: [.crc32c, .sha256]),
    Row(named: [.crc32c], isStrong: false, chosen: [.crc32c]),
    Row(pinned: [.md5], chosen: [.crc32c, .md5]),
    Row(pinned: [.crc32c], chosen: [.crc32c]),
    Row(pinned: [.sha256], chosen: [.sha256]),
    Row(pinned: [.sha512], chosen: [.sha512]),
    Row(pinned: [.sha256], isStrong: false, chosen: [.sha256]),
    Row(pinned: [.sha256], named: [.crc32c], chosen: [.crc32c, .sha256]),
    Row(pinned: [.sha256], named: [.md5], chosen: [.md5, .sha256]),
    Row(standing: [.crc32c, .sha256], chosen: [.crc32c, .sha256]),
    Row(pinned: [.sha256], standing: [.crc32c], chosen: [.crc32c, .sha256]),
  ])
  func `what is computed`(_ row: Row) {
    let version = ObjectVersion(etag: row.isStrong ? "\"x\"" : nil, digests: Self.digests(row.named))
    let standing = row.standing == [] ? nil : Self.digests(row.standing)
    let chosen = DigestChoice.algorithms(pins: Self.digests(row.pinned), version: version, standing: standing)
    #expect(chosen == row.chosen)
  }
}
