// Which digests to compute while the bytes pass: pure.

import TransferModel

enum DigestChoice {
  /// | when | compute |
  /// | --- | --- |
  /// | pinned | each pinned algorithm |
  /// | the server names crc32c, or nothing better is pinned | crc32c: it is nearly free, and proves the local file later |
  /// | the server names md5 and no crc32c | md5: it is all there is |
  /// | a file stands there whose digests are known | the strongest of them, so that the same bytes are seen to be the same |
  /// | the server names neither and has no strong validator | sha256: the bytes themselves are the only identity (P48) |
  static func algorithms(
    pins: DigestSet, version: ObjectVersion, standing: DigestSet? = nil
  ) -> DigestAlgorithms {
    var chosen = pins.algorithms
    if version.digests.has(.crc32c) || !(pins.has(.sha256) || pins.has(.sha512)) { chosen.insert(.crc32c) }
    if let strongest = standing?.algorithms.all.last { chosen.insert(strongest) }
    if !version.digests.has(.crc32c), version.digests.has(.md5) { chosen.insert(.md5) }
    if version.digests.isEmpty, !version.mayResume { chosen.insert(.sha256) }
    return chosen
  }
}
