// The planner's truth table, row by row; the numbers in the names are those of its doc comment.

import MirrorPlan
import Testing
import TransferModel

@Suite("Planner")
struct PlannerTests {
  @Test("every row of the table decides as it says", arguments: rows)
  func row(_ row: PlannerRow) {
    row.check()
  }

  @Test("P44, P45: a weak comparison is a failure when verify is strict", arguments: strictRows)
  func strict(_ row: PlannerRow) {
    row.check()
  }

  @Test("mirror plan asks before it decides", arguments: askingRows)
  func asking(_ row: PlannerRow) {
    row.check()
  }

  typealias F = Facts
  static let plain = F.entry([F.object])
  static let site = F.entry([F.web])
  static let tree = F.entry([F.object], fromTree: true)
  static let pinned = F.entry([F.object], pins: [F.sha256A])
  static let gone = TransferFailure(.timeout, .transient, "No answer.")

  static let rows: [PlannerRow] =
    provenRows + remoteRows + emptyRows + pinRows + notAskedRows + presentRows + unrecordedRows
    + [
      PlannerRow(
        "reads a touched file first", plain, F.file(F.touched), F.row(F.object), .notAsked,
        .needsDigests([.crc32c])),
      PlannerRow(
        "reads for state and pins at once", F.entry([F.object], pins: [F.md5A]), F.file(F.touched),
        F.row(F.object, digests: [F.crcA]), .notAsked, .needsDigests([.crc32c, .md5])),
      PlannerRow(
        "leaves md5 out when there is better", plain, F.file(F.touched),
        F.row(F.object, digests: [F.crcA, F.md5A, F.sha256A]), .notAsked, .needsDigests([.crc32c, .sha256])),
      PlannerRow(
        "--check reads an unmoved file", plain, F.file(), F.row(F.object), .notAsked,
        planner: Planner(checksLocal: true), .needsDigests([.crc32c])),
      PlannerRow(
        "a touched file with the recorded bytes is kept, and gets its time back", plain, F.file(F.touched),
        F.row(F.object, F.version(generation: 5)), .present(F.version(generation: 5)), read: [F.crcA],
        .decided(.metadata, .mtimeDrift, .generation)),
    ]

  static let provenRows: [PlannerRow] = [
    PlannerRow(
      "1: pinned and recorded needs no request", pinned, F.file(), F.row(F.object, digests: [F.sha256A]), .notAsked,
      planner: Planner(asksFirst: true), .decided(.skip, .unchanged, .pin)),
    PlannerRow(
      "1: even when the server fails", pinned, F.file(), F.row(F.object, digests: [F.sha256A]), .failed(gone),
      .decided(.skip, .unchanged, .pin)),
    PlannerRow(
      "2: a pinned file without state is adopted", pinned, F.file(), nil, .notAsked, read: [F.sha256A],
      .decided(.adopt, .present, .pin)),
    PlannerRow(
      "2: a changed file that now has the pin is adopted", pinned, F.file(F.grown), F.row(F.object), .notAsked,
      read: [F.sha256A], .decided(.adopt, .present, .pin)),
    PlannerRow("3: pinned, not read", pinned, F.file(), nil, .notAsked, .needsDigests([.sha256])),
    PlannerRow(
      "3: pinned by what was not recorded", pinned, F.file(), F.row(F.object), .notAsked, .needsDigests([.sha256])),
    PlannerRow(
      "3: every pin counts", F.entry([F.object], pins: [F.crcA, F.sha256A]), F.file(), F.row(F.object), .notAsked,
      .needsDigests([.crc32c, .sha256])),
    PlannerRow(
      "4: pinned generation, recorded", F.entry([F.object], generation: 5), F.file(),
      F.row(F.object, F.version(generation: 5)), .notAsked, .decided(.skip, .unchanged, .generation)),
    PlannerRow(
      "17: not of another source", F.entry([F.web], generation: 5), F.file(),
      F.row(F.object, F.version(generation: 5)), .notAsked, .needsRemote),
  ]

  static let remoteRows: [PlannerRow] = [
    PlannerRow(
      "5: the server's failure is the entry's", plain, F.file(), F.row(F.object), .failed(gone),
      .decided(.error, .failure(.timeout), .none)),
    PlannerRow(
      "6: P57 an absent item is an error", plain, .absent, nil, .absent,
      .decided(.error, .failure(.notFound), .none)),
    PlannerRow("7: absent from a tree", tree, F.file(), F.row(F.object), .absent, .decided(.skip, .gone, .none)),
    PlannerRow(
      "8: P67 a directory stands there", plain, .directory, nil, .present(F.version(size: 10)),
      .decided(.conflict, .failure(.isADirectory), .none)),
    PlannerRow(
      "9: a socket stands there", plain, .other, nil, .notAsked,
      .decided(.conflict, .failure(.nameConflict), .none)),
  ]

  static let emptyRows: [PlannerRow] = [
    PlannerRow(
      "10: new, the GET asks", plain, .absent, nil, .notAsked, .decided(.download, .new, .none, fetch: .whole)),
    PlannerRow(
      "10: new, of a pinned generation", F.entry([F.object], generation: 5), .absent, nil, .notAsked,
      .decided(.download, .new, .none, fetch: .version(F.version(generation: 5)))),
    PlannerRow(
      "11: W04 recorded and gone", plain, .absent, F.row(F.object), .present(F.version(generation: 5, size: 10)),
      .decided(.download, .localMissing, .none, fetch: .version(F.version(generation: 5, size: 10)))),
    PlannerRow(
      "10: R14 a link gives way", plain, .symlink, nil, .notAsked,
      .decided(.update, .replacesSymlink, .none, fetch: .whole)),
    PlannerRow(
      "11: a recorded file became a link", plain, .symlink, F.row(F.object, F.version(generation: 5)),
      .present(F.version(generation: 5)), .decided(.update, .replacesSymlink, .none)),
    PlannerRow(
      "11: mirrors share bytes, not generations", F.entry([F.object, F.web]), .absent, nil,
      .present(F.version(generation: 5, size: 10, [F.crcA])),
      .decided(.download, .new, .none, fetch: .version(F.version(size: 10, [F.crcA])))),
    PlannerRow(
      "10: a placeholder is tried again", plain, F.file(), F.row(F.object, isPlaceholder: true), .notAsked,
      .decided(.update, .placeholder, .none, fetch: .whole)),
    PlannerRow(
      "26: a placeholder that was replaced is a file of its own", plain, F.file(F.touched),
      F.row(F.object, isPlaceholder: true), .notAsked, .needsRemote),
  ]

  static let pinRows: [PlannerRow] = [
    PlannerRow(
      "13: the pin was changed", pinned, F.file(), F.row(F.object, digests: [F.sha256B]), .notAsked,
      .decided(.update, .pinMismatch, .pin, fetch: .whole)),
    PlannerRow(
      "14: an unrecorded file is not what is pinned", pinned, F.file(), nil, .present(F.version(size: 10)),
      read: [F.sha256B], .decided(.update, .pinMismatch, .pin)),
    PlannerRow(
      "14: W12 what is pinned cannot come", F.entry([F.object], pins: [F.crcB]), F.file(), F.row(F.object),
      .present(F.version(size: 10, [F.crcA])), .decided(.error, .failure(.checksumMismatch), .pin)),
    PlannerRow(
      "15: stored bytes are kept, decoded wanted", F.entry([F.object], content: .decoded), F.file(),
      F.row(F.object, F.version(generation: 5, coding: "gzip")), .notAsked,
      .decided(.update, .contentForm, .none, fetch: .whole)),
    PlannerRow(
      "21: an object without coding has one form only", F.entry([F.object], content: .decoded), F.file(),
      F.row(F.object, F.version(generation: 5)), .present(F.version(generation: 5)),
      .decided(.skip, .unchanged, .generation)),
  ]

  static let notAskedRows: [PlannerRow] = [
    PlannerRow(
      "16: another generation is pinned", F.entry([F.object], generation: 6), F.file(),
      F.row(F.object, F.version(generation: 5)), .notAsked,
      .decided(.update, .generationChange, .generation, fetch: .version(F.version(generation: 6)))),
    PlannerRow(
      "17: fetched from elsewhere", site, F.file(), F.row(F.object, F.version(generation: 5)), .notAsked, .needsRemote),
    PlannerRow(
      "18: an object by its generation", plain, F.file(), F.row(F.object, F.version(generation: 5, etag: "\"e\"")),
      .notAsked, .decided(.update, .ask, .generation, fetch: .conditional(.generation(5), reference: 0))),
    PlannerRow(
      "18: P51 a URL by its ETag", site, F.file(), F.row(F.web, F.version(etag: "\"e\"", modified: F.day)), .notAsked,
      .decided(.update, .ask, .strongETag, fetch: .conditional(.strongETag("\"e\""), reference: 0))),
    PlannerRow(
      "18: a URL by a weak ETag", site, F.file(), F.row(F.web, F.version(etag: "W/\"e\"")), .notAsked,
      .decided(.update, .ask, .weakETag, fetch: .conditional(.weakETag("W/\"e\""), reference: 0))),
    PlannerRow(
      "18: a URL by its date", site, F.file(), F.row(F.web, F.version(modified: F.day)), .notAsked,
      .decided(.update, .ask, .lastModified, fetch: .conditional(.lastModified(F.day), reference: 0))),
    PlannerRow(
      "18: the mirror that served is asked", F.entry([F.web, F.mirrorSite]), F.file(),
      F.row(F.mirrorSite, F.version(etag: "\"m\"")), .notAsked,
      .decided(.update, .ask, .strongETag, fetch: .conditional(.strongETag("\"m\""), reference: 1))),
    PlannerRow(
      "19: an object's ETag is not asked by", plain, F.file(), F.row(F.object, F.version(etag: "\"e\"")), .notAsked,
      .needsRemote),
    PlannerRow(
      "20: P48 a URL without any validator", site, F.file(), F.row(F.web), .notAsked,
      .decided(.update, .nothingToCompare, .none, fetch: .whole)),
  ]
}
