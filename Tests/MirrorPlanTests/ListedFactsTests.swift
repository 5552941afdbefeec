// Remote facts in their packed form.

import MirrorPlan
import Testing
import TransferModel

@Suite("Listed facts")
struct ListedFactsTests {
  private static func versions() throws -> [ObjectVersion] {
    var digests = DigestSet()
    digests.crc32c = Digest(crc32c: 0xFF00_0001)
    for algorithm in [DigestAlgorithm.md5, .sha512] {
      digests[algorithm] = Digest(algorithm, bytes: [UInt8](repeating: 9, count: algorithm.byteCount))
    }
    return [
      ObjectVersion(), ObjectVersion(size: 0), ObjectVersion(generation: .max), ObjectVersion(etag: ""),
      ObjectVersion(etag: "W/\"é\"", contentEncoding: "gzip"), ObjectVersion(digests: digests),
      ObjectVersion(lastModified: Timestamp(seconds: -62_135_596_800, nanoseconds: 0)),
      ObjectVersion(
        generation: 1, etag: "\"x\"", lastModified: Timestamp(seconds: 1_700_000_000, nanoseconds: 999_999_999),
        size: .max, digests: digests, contentEncoding: "identity"),
    ]
  }

  @Test("each number has what was noted of it, whatever was noted between")
  func notes() throws {
    let versions = try Self.versions()
    var facts = ListedFacts()
    for (place, version) in versions.enumerated() {
      facts.note(version, of: 1_000 - place)
      facts.note(absent: place)
    }
    for (place, version) in versions.enumerated() {
      #expect(facts[1_000 - place] == .present(version))
      #expect(facts[place] == .absent)
    }
    #expect(facts[500] == .notAsked && ListedFacts()[0] == .notAsked)
    #expect(facts.count == 2 * versions.count)
  }
}
