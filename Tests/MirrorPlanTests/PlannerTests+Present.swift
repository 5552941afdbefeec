// The planner's rows for remote facts that are known, and what holds over all rows.

import MirrorPlan
import Testing
import TransferModel

extension PlannerTests {
  static let presentRows: [PlannerRow] = [
    PlannerRow(
      "21: W01 same generation", plain, F.file(), F.row(F.object, F.version(generation: 5, etag: "\"1\"")),
      .present(F.version(generation: 5, etag: "\"2\"")), .decided(.skip, .unchanged, .generation)),
    PlannerRow(
      "21: rewritten with the same bytes", plain, F.file(),
      F.row(F.object, F.version(generation: 5, size: 10, [F.crcA])),
      .present(F.version(generation: 6, size: 10, [F.crcA])), .decided(.skip, .unchanged, .hash)),
    PlannerRow(
      "21: same strong ETag", site, F.file(), F.row(F.web, F.version(etag: "\"e\"")),
      .present(F.version(etag: "\"e\"", [F.sha256A])), .decided(.skip, .unchanged, .strongETag)),
    PlannerRow(
      "21: same weak ETag", site, F.file(), F.row(F.web, F.version(etag: "\"e\"")),
      .present(F.version(etag: "W/\"e\"")), .decided(.skip, .unchanged, .weakETag)),
    PlannerRow(
      "21: P46 same date", site, F.file(), F.row(F.web, F.version(modified: F.day, size: 10)),
      .present(F.version(modified: F.day, size: 10)), .decided(.skip, .unchanged, .lastModified)),
    PlannerRow(
      "21: P45 an object by its size", plain, F.file(), F.row(F.object, F.version(size: 10), digests: []),
      .present(F.version(size: 10)), .decided(.skip, .unchanged, .size)),
    PlannerRow(
      "21: the same bytes from another source", site, F.file(), F.row(F.object, F.version(generation: 5)),
      .present(F.version([F.crcA])), .decided(.skip, .unchanged, .hash)),
    PlannerRow(
      "22: P44, W02 other generation and hash, same size", plain, F.file(),
      F.row(F.object, F.version(generation: 5, size: 10)), .present(F.version(generation: 6, size: 10, [F.crcB])),
      .decided(.update, .remoteChange, .hash, fetch: .version(F.version(generation: 6, size: 10, [F.crcB])))),
    PlannerRow(
      "22: other generation, no hash", plain, F.file(), F.row(F.object, F.version(generation: 5)),
      .present(F.version(generation: 6)), .decided(.update, .remoteChange, .generation)),
    PlannerRow(
      "22: other strong ETag", site, F.file(), F.row(F.web, F.version(etag: "\"e\"", size: 10)),
      .present(F.version(etag: "\"f\"", size: 10)), .decided(.update, .remoteChange, .strongETag)),
    PlannerRow(
      "22: other size", site, F.file(), F.row(F.web, F.version(modified: F.day, size: 10)),
      .present(F.version(modified: F.day, size: 11)), .decided(.update, .remoteChange, .size)),
    PlannerRow(
      "22: P46 an older date is another date", site, F.file(), F.row(F.web, F.version(modified: F.day, size: 10)),
      .present(F.version(modified: Timestamp(seconds: 1), size: 10)), .decided(.update, .remoteChange, .lastModified)),
    PlannerRow(
      "22: of the same hash but another size", plain, F.file(), F.row(F.object, F.version(generation: 5, size: 10)),
      .present(F.version(generation: 6, size: 11, [F.crcA])), .decided(.update, .remoteChange, .size)),
    PlannerRow(
      "22: the pinned generation is no longer live", F.entry([F.object], generation: 6), F.file(),
      F.row(F.object, F.version(generation: 5)), .present(F.version(generation: 7, size: 99)),
      .decided(.update, .generationChange, .generation, fetch: .version(F.version(generation: 6)))),
    PlannerRow(
      "23: the server names a digest that was not recorded", plain, F.file(),
      F.row(F.object, F.version(generation: 5)), .present(F.version(generation: 6, [F.md5A])), .needsDigests([.md5])),
    PlannerRow(
      "21: and it is the file's", plain, F.file(), F.row(F.object, F.version(generation: 5)),
      .present(F.version(generation: 6, [F.md5A])), read: [F.md5A], .decided(.skip, .unchanged, .hash)),
    PlannerRow(
      "24: an object's ETag and times say nothing", plain, F.file(),
      F.row(F.object, F.version(generation: 5, etag: "\"e\"", modified: F.day)),
      .present(F.version(etag: "\"f\"", modified: Timestamp(seconds: 1))),
      .decided(.update, .ask, .generation, fetch: .conditional(.generation(5), reference: 0))),
    PlannerRow(
      "24: equal sizes prove nothing of a URL", site, F.file(), F.row(F.web, F.version(size: 10)),
      .present(F.version(size: 10)), .decided(.update, .nothingToCompare, .none)),
    PlannerRow(
      "24 b: another source with nothing in common", site, F.file(),
      F.row(F.object, F.version(generation: 5, size: 10)),
      .present(F.version(generation: 5, etag: "\"e\"", size: 10)), .decided(.update, .sourceChange, .none)),
    PlannerRow(
      "24 b: another source with other bytes", site, F.file(), F.row(F.object, F.version(generation: 5)),
      .present(F.version([F.crcB])), .decided(.update, .sourceChange, .hash)),
  ]

  static let unrecordedRows: [PlannerRow] = [
    PlannerRow(
      "25: W03 edited, told by the digest", plain, F.file(F.touched), F.row(F.object, F.version(generation: 5)),
      .notAsked, read: [F.crcB], .decided(.update, .localChange, .hash, fetch: .whole)),
    PlannerRow(
      "25: W03 edited, told by the size", plain, F.file(F.grown), F.row(F.object, F.version(generation: 5)), .notAsked,
      .decided(.update, .localChange, .size, fetch: .whole)),
    PlannerRow("26: found, not recorded", site, F.file(), nil, .notAsked, .needsRemote),
    PlannerRow(
      "27: found, of another size", plain, F.file(), nil, .present(F.version(size: 11, [F.crcA])),
      .decided(.update, .localDiffers, .size)),
    PlannerRow(
      "28: found, of the same size", plain, F.file(), nil, .present(F.version(size: 10, [F.crcA, F.md5A])),
      .needsDigests([.crc32c])),
    PlannerRow(
      "29: the object was there already", plain, F.file(), nil, .present(F.version(size: 10, [F.crcA])), read: [F.crcA],
      .decided(.adopt, .present, .hash)),
    PlannerRow(
      "29: changed into what the object is now", plain, F.file(F.touched), F.row(F.object, F.version(generation: 5)),
      .present(F.version(generation: 6, size: 10, [F.crcB])), read: [F.crcB], .decided(.adopt, .present, .hash)),
    PlannerRow(
      "30: found, and other bytes", plain, F.file(), nil, .present(F.version(size: 10, [F.crcA])), read: [F.crcB],
      .decided(.update, .localDiffers, .hash)),
    PlannerRow(
      "30: changed, and other bytes", plain, F.file(F.touched), F.row(F.object, F.version(generation: 5)),
      .present(F.version(generation: 5, size: 10, [F.crcA])), read: [F.crcB],
      .decided(.update, .localChange, .hash)),
    PlannerRow(
      "31: changed, the server names no digest", site, F.file(F.touched), F.row(F.web, F.version(etag: "\"e\"")),
      .present(F.version(etag: "\"e\"")), read: [F.crcB], .decided(.update, .localChange, .hash)),
    PlannerRow(
      "32: found, the server names no digest", site, F.file(), nil, .present(F.version(etag: "\"e\"")),
      .decided(.update, .nothingToCompare, .none)),
    PlannerRow(
      "32: decoded bytes have no digest that a server names", F.entry([F.object], content: .decoded), F.file(), nil,
      .present(F.version(size: 4, [F.crcA], coding: "gzip")), .decided(.update, .nothingToCompare, .none)),
  ]

  static let strictSite = F.entry([F.web], verify: .strict)
  static let strictRows: [PlannerRow] = [
    PlannerRow(
      "18 by a date", strictSite, F.file(), F.row(F.web, F.version(modified: F.day)), .notAsked,
      .decided(.error, .failure(.notComparable), .lastModified)),
    PlannerRow(
      "18 by a strong ETag stays", strictSite, F.file(), F.row(F.web, F.version(etag: "\"e\"")), .notAsked,
      .decided(.update, .ask, .strongETag)),
    PlannerRow(
      "20", strictSite, F.file(), F.row(F.web), .notAsked, .decided(.error, .failure(.notComparable), .none)),
    PlannerRow(
      "21 by a weak ETag", strictSite, F.file(), F.row(F.web, F.version(etag: "W/\"e\"")),
      .present(F.version(etag: "W/\"e\"")), .decided(.error, .failure(.notComparable), .weakETag)),
    PlannerRow(
      "21 by size", F.entry([F.object], verify: .strict), F.file(), F.row(F.object, F.version(size: 10), digests: []),
      .present(F.version(size: 10)), .decided(.error, .failure(.notComparable), .size)),
    PlannerRow(
      "22 by a date is no failure: other is other", strictSite, F.file(), F.row(F.web, F.version(modified: F.day)),
      .present(F.version(modified: Timestamp(seconds: 1))), .decided(.update, .remoteChange, .lastModified)),
    PlannerRow(
      "24 without a validator", strictSite, F.file(), F.row(F.web, F.version(size: 10)),
      .present(F.version(size: 10)), .decided(.error, .failure(.notComparable), .none)),
    PlannerRow(
      "32", strictSite, F.file(), nil, .present(F.version(etag: "\"e\"")),
      .decided(.error, .failure(.notComparable), .none)),
    PlannerRow("11 is no comparison", strictSite, .absent, nil, .notAsked, .decided(.download, .new, .none)),
  ]

  static let asks = Planner(asksFirst: true)
  static let askingRows: [PlannerRow] = [
    PlannerRow("10", plain, .absent, nil, .notAsked, planner: asks, .needsRemote),
    PlannerRow("12", plain, F.file(), F.row(F.object, isPlaceholder: true), .notAsked, planner: asks, .needsRemote),
    PlannerRow(
      "13", pinned, F.file(), F.row(F.object, digests: [F.sha256B]), .notAsked, planner: asks, .needsRemote),
    PlannerRow(
      "15", F.entry([F.object], content: .decoded), F.file(), F.row(F.object, F.version(coding: "gzip")), .notAsked,
      planner: asks, .needsRemote),
    PlannerRow(
      "16", F.entry([F.object], generation: 6), F.file(), F.row(F.object, F.version(generation: 5)), .notAsked,
      planner: asks, .needsRemote),
    PlannerRow(
      "18", plain, F.file(), F.row(F.object, F.version(generation: 5)), .notAsked, planner: asks, .needsRemote),
    PlannerRow("20", site, F.file(), F.row(F.web), .notAsked, planner: asks, .needsRemote),
    PlannerRow(
      "25", plain, F.file(F.grown), F.row(F.object), .notAsked, planner: asks, .needsRemote),
    PlannerRow(
      "but not what is there already", plain, F.file(), F.row(F.object, F.version(generation: 5)),
      .present(F.version(generation: 5)), planner: asks, .decided(.skip, .unchanged, .generation)),
  ]

  @Test("a fetch that must fail is an error before a byte moves")
  func refusals() throws {
    let cases: [(Entry, ObjectVersion, ReasonCode)] = [
      (F.entry([F.object], maxSize: 9), F.version(size: 10), .sizeLimitExceeded),
      (F.entry([F.object], size: 9), F.version(size: 10), .sizeMismatch),
      (F.entry([F.object], pins: [F.crcB]), F.version([F.crcA]), .checksumMismatch),
    ]
    for (entry, version, reason) in cases {
      let verdict = Planner().verdict(for: entry, local: .absent, recorded: nil, remote: .present(version))
      let decision = try #require(verdict.decision)
      #expect(decision.failure?.reason == reason)
      #expect(decision.failure?.hint != nil)
      var mirrored = entry
      mirrored = Entry(
        references: entry.references + [F.web], destination: entry.destination, settings: entry.settings,
        pins: entry.pins, size: entry.size, declaration: entry.declaration)
      let other = Planner().verdict(for: mirrored, local: .absent, recorded: nil, remote: .present(version))
      #expect(other.decision?.action == .download, "the next mirror may be right")
    }
  }

  @Test("at the limit is not over it")
  func limits() {
    let entry = F.entry([F.object], maxSize: 10, size: 10)
    let verdict = Planner().verdict(
      for: entry, local: .absent, recorded: nil, remote: .present(F.version(size: 10)))
    #expect(verdict.decision?.action == .download)
  }

  @Test("P73: a mode that drifted is set without a transfer")
  func modes() throws {
    let entry = F.entry([F.object], mode: 0o600)
    let row = F.row(F.object, F.version(generation: 5))
    let remote = RemoteFact.present(F.version(generation: 5))
    let drifted = Planner().verdict(for: entry, local: F.file(mode: 0o644), recorded: row, remote: remote)
    #expect(
      drifted == .decided(Decision(.metadata, .modeDrift, by: .generation, mode: 0o600)))
    let right = Planner().verdict(for: entry, local: F.file(mode: 0o600), recorded: row, remote: remote)
    #expect(right == .decided(Decision(.skip, .unchanged, by: .generation)))
    let adopted = Planner().verdict(
      for: entry, local: F.file(mode: 0o644), recorded: nil, remote: .present(F.version([F.crcA])),
      localDigests: DigestSet([F.crcA]))
    #expect(adopted == .decided(Decision(.adopt, .present, by: .hash, mode: 0o600, recordsState: true)))
  }

  @Test("a fetch that may bring the same bytes knows what stands there")
  func standing() throws {
    let asked = Planner().verdict(
      for: Self.site, local: F.file(), recorded: F.row(F.web), remote: .notAsked)
    #expect(asked.decision?.standing == DigestSet([F.crcA]))
    let differs = Planner().verdict(
      for: Self.plain, local: F.file(), recorded: F.row(F.object), remote: .present(F.version([F.crcB])))
    #expect(differs.decision?.standing == nil, "they are known to differ")
  }

  @Test("news about a file that stays are recorded")
  func recordsState() {
    let row = F.row(F.object, F.version(generation: 5, size: 10, [F.crcA]))
    let rewritten = Planner().verdict(
      for: Self.plain, local: F.file(), recorded: row, remote: .present(F.version(generation: 6, [F.crcA])))
    #expect(rewritten.decision?.recordsState == true)
    let same = Planner().verdict(
      for: Self.plain, local: F.file(), recorded: row, remote: .present(F.version(generation: 5)))
    #expect(same.decision?.recordsState == false)
    let touched = Planner().verdict(
      for: Self.plain, local: F.file(F.touched), recorded: row, remote: .present(F.version(generation: 5)),
      localDigests: DigestSet([F.crcA]))
    #expect(touched.decision?.recordsState == true)
  }
}
