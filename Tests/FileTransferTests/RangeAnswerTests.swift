// What an answer to one of several ranges means, and when an object is divided at all: the tables, row by row.

import FileTransfer
import Testing
import TransferModel

@Suite("Answers to ranges")
struct RangeAnswerTests {
  private static let tagged = ObjectVersion(etag: "\"v1\"", size: 100)
  private static let generated = ObjectVersion(generation: 5, size: 100)

  private func decide(
    _ status: Int, _ contentRange: String?, _ response: ObjectVersion = ObjectVersion(),
    version: ObjectVersion = tagged, isConditional: Bool = true, form: ServedForm = .stored, length: Int64? = nil
  ) -> RangeAnswer? {
    RangeAnswer.decide(
      RangeAnswer.Question(range: 40..<60, total: 100, version: version, isConditional: isConditional), status: status,
      contentRange: contentRange.flatMap { ContentRange(parsing: $0) }, length: length, response: response, form: form)
  }

  @Test(
    "by status and Content-Range",
    arguments: [
      (206, "bytes 40-59/100", .take), (206, "bytes 40-59/*", .take), (206, "bytes 40-44/100", .take),
      (206, "bytes 40-60/100", .untrusted), (206, "bytes 41-59/100", .untrusted), (206, "bytes 0-99/100", .untrusted),
      (206, nil, .untrusted), (206, "bytes 40-59", .untrusted), (206, "bytes 40-59/101", .changed),
      (200, nil, .ignored), (412, nil, .changed), (416, "bytes */100", .untrusted), (416, nil, .untrusted),
      (416, "bytes */30", .changed), (404, nil, nil), (503, nil, nil), (401, nil, nil),
    ] as [(Int, String?, RangeAnswer?)])
  func rows(status: Int, contentRange: String?, expected: RangeAnswer?) {
    #expect(decide(status, contentRange) == expected)
  }

  @Test(
    "a length that is not the range's",
    arguments: [(20, .take), (15, .untrusted), (21, .untrusted), (nil, .take)] as [(Int64?, RangeAnswer)])
  func lengths(length: Int64?, expected: RangeAnswer) {
    #expect(decide(206, "bytes 40-59/100", length: length) == expected)
  }

  @Test("P16: by version") func versions() {
    let fine = "bytes 40-59/100"
    #expect(decide(206, fine, ObjectVersion(etag: "\"v2\"")) == .changed)
    #expect(decide(200, nil, ObjectVersion(etag: "\"v2\"")) == .changed)
    #expect(decide(404, nil, version: Self.generated) == .changed)
    // Without a condition in the request, the answer has to name the version.
    #expect(decide(206, fine, version: Self.generated, isConditional: false) == .untrusted)
    #expect(decide(206, fine, ObjectVersion(generation: 5), version: Self.generated, isConditional: false) == .take)
    #expect(decide(206, fine, ObjectVersion(generation: 6), version: Self.generated, isConditional: false) == .changed)
    #expect(decide(206, fine, ObjectVersion(etag: "W/\"v1\""), isConditional: false) == .changed)
    #expect(decide(206, fine, ObjectVersion(etag: "\"v1\""), isConditional: false) == .take)
  }

  @Test(
    "bytes that were coded on the way are no stretch of the object",
    arguments: [.compressed, .decompressed] as [ServedForm])
  func coded(form: ServedForm) {
    #expect(decide(206, "bytes 40-59/100", form: form) == .untrusted)
  }

  @Test(
    "an object is divided only where that is sound",
    arguments: [
      (RangePolicy.Facts(total: 64 << 20, hasStrongValidator: true), 4),
      (RangePolicy.Facts(total: 64 << 20, hasStrongValidator: true, acceptRanges: "bytes"), 4),
      (RangePolicy.Facts(total: (64 << 20) - 1, hasStrongValidator: true), 1),
      (RangePolicy.Facts(total: nil, hasStrongValidator: true), 1),
      (RangePolicy.Facts(total: 64 << 20, hasStrongValidator: false), 1),
      (RangePolicy.Facts(total: 64 << 20, hasStrongValidator: true, isTranscoded: true), 1),
      (RangePolicy.Facts(total: 64 << 20, hasStrongValidator: true, acceptRanges: "None"), 1),
      (RangePolicy.Facts(total: 64 << 20, hasStrongValidator: true, rangesFailed: true), 1),
    ])
  func limits(facts: RangePolicy.Facts, streams: Int) {
    #expect(RangePolicy().limit(facts) == streams)
    #expect(RangePolicy(streams: 1).limit(facts) == 1)
  }

  @Test("a cutoff of nothing does not divide what is small") func tinyCutoff() {
    let policy = RangePolicy(cutoff: 0, streams: 4)
    #expect(policy.limit(RangePolicy.Facts(total: 1_000, hasStrongValidator: true)) == 1)
    #expect(policy.limit(RangePolicy.Facts(total: 2 << 20, hasStrongValidator: true)) == 4)
  }
}
