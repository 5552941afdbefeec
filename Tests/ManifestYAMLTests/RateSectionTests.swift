// Rates under `limits:`, and `publish:`.

import ManifestYAML
import MirrorPlan
import Testing
import TransferModel

@Suite struct RateSectionTests {
  private func manifest(_ settings: String) -> ManifestFile {
    load("version: 1\nroot: out\nitems: [{ref: \"https://a.example/x\", to: x}]\n\(settings)\n")
  }

  @Test func `one rate holds all day`() throws {
    let limits = try #require(
      manifest("limits: {rate: 5MiB/s, rate_per_host: 1MB, requests: 10, requests_per_host: 2}").manifest?.limits)
    #expect(limits.rate == RateTable(5 << 20))
    #expect(limits.ratePerHost == 1_000_000)
    #expect(limits.requests == 10)
    #expect(limits.requestsPerHost == 2)
  }

  @Test func `a table is taken in any order, quoted or not`() throws {
    let file = manifest("limits: {rate: [{from: 20:00, rate: 0}, {from: \"8:00\", rate: 5MiB/s}]}")
    #expect(file.lines == [])
    let table = try RateTable([RateTable.Row(from: 28_800, rate: 5 << 20), RateTable.Row(from: 72_000, rate: 0)])
    #expect(file.manifest?.limits.rate == table)
  }

  @Test(
    "what is wrong with a table is said where it is",
    arguments: [
      ("rate: []", "`rate` is an empty table"),
      ("rate: [{from: \"25:00\", rate: 1}]", "`25:00` is no time of day"),
      ("rate: [{from: \"8\", rate: 1}]", "`8` is no time of day"),
      ("rate: [{from: \"08:00\", rate: fast}]", "`fast` is no rate"),
      ("rate: [{from: \"08:00\"}]", "a row of `rate` lacks `rate`"),
      ("rate: [{rate: 5}]", "a row of `rate` lacks `from`"),
      ("rate: [{from: \"08:00\", rate: 1}, {from: \"8:00\", rate: 2}]", "two rows of `rate` begin at the same time"),
      ("rate: [{from: \"08:00\", rate: 1, to: \"09:00\"}]", "a row of `rate` has no key `to`"),
      ("rate: [5MiB/s]", "a row of `rate` is a mapping"),
      ("rate: {from: \"08:00\", rate: 1}", "`rate` is a text"),
      ("requests: [{from: \"08:00\", rate: 5MiB/s}]", "`5MiB/s` is no number"),
    ])
  func wrong(limits: String, message: String) {
    let file = manifest("limits: {\(limits)}")
    #expect(file.manifest == nil)
    #expect(file.lines.contains { $0.contains(message) }, "\(file.lines)")
  }

  @Test(
    "publish",
    arguments: [
      ("publish: atomic", .atomic, 1), ("publish: {mode: atomic, keep: 2}", .atomic, 2),
      ("publish: in-place", .inPlace, 1), ("publish: {}", .inPlace, 1), ("", .inPlace, 1),
    ] as [(String, PublishSettings.Mode, Int)])
  func publish(text: String, mode: PublishSettings.Mode, keep: Int) {
    let file = manifest(text)
    #expect(file.lines == [])
    #expect(file.manifest?.publish == PublishSettings(mode: mode, keep: keep))
  }

  @Test(
    "what is wrong with publish",
    arguments: [
      ("publish: atomically", "`publish` is `in-place` or `atomic`"),
      ("publish: {mode: atomic, keep: 0}", "`keep` must be"),
      ("publish: {keep: 2}", "`keep` means something with `mode: atomic` only"), ("publish: [atomic]", "a mapping"),
    ])
  func wrongPublish(text: String, message: String) {
    let file = manifest(text)
    #expect(file.manifest == nil)
    #expect(file.lines.contains { $0.contains(message) }, "\(file.lines)")
  }
}
