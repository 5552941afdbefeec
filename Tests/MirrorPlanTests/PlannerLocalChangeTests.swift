// `on_local_change`, and the time of change that drifted: what becomes of files that mirror did not leave as they are.

import MirrorPlan
import Testing
import TransferModel

@Suite("Planner: local changes")
struct PlannerLocalChangeTests {
  typealias F = Facts
  static let keep = F.entry([F.object], onLocalChange: .keep)
  static let fail = F.entry([F.object], onLocalChange: .fail)
  static let pinned = F.entry([F.object], onLocalChange: .keep, pins: [F.sha256A])
  static let now = RemoteFact.present(F.version(generation: 6, size: 10, [F.crcA]))
  static let recorded = F.row(F.object, F.version(generation: 5, size: 10, [F.crcA]))
  static let unpinned = F.row(F.object, F.version(generation: 5, size: 10), digests: [F.sha256B])

  static let rows: [PlannerRow] = [
    PlannerRow(
      "33: edited, nothing asked yet: it may be what the object is now", keep, F.file(F.touched), recorded, .notAsked,
      read: [F.crcB], .needsRemote),
    PlannerRow("26: found, nothing asked yet", keep, F.file(), nil, .notAsked, .needsRemote),
    PlannerRow(
      "34: edited", keep, F.file(F.touched), recorded, now, read: [F.crcB], .decided(.skip, .localChange, .hash)),
    PlannerRow("34: grown", keep, F.file(F.grown), recorded, now, .decided(.skip, .localChange, .size)),
    PlannerRow("34: found", keep, F.file(), nil, now, read: [F.crcB], .decided(.skip, .localDiffers, .hash)),
    PlannerRow(
      "34: found, and nothing to compare by", F.entry([F.web], onLocalChange: .keep), F.file(), nil,
      .present(F.version(etag: "\"e\"")), .decided(.skip, .localDiffers, .none)),
    PlannerRow(
      "34: edited, the server names no digest", F.entry([F.web], onLocalChange: .keep), F.file(F.touched),
      F.row(F.web, F.version(etag: "\"e\"")), .present(F.version(etag: "\"f\"")), read: [F.crcB],
      .decided(.skip, .localChange, .hash)),
    PlannerRow(
      "34: found, and not what is pinned", pinned, F.file(), nil, .notAsked, read: [F.sha256B],
      .decided(.skip, .localDiffers, .pin)),
    PlannerRow("34: a link", keep, .symlink, nil, .notAsked, .decided(.skip, .localDiffers, .none)),
    PlannerRow(
      "35: edited", fail, F.file(F.touched), recorded, now, read: [F.crcB],
      .decided(.conflict, .failure(.localChange), .hash)),
    PlannerRow(
      "35: found", fail, F.file(), nil, now, read: [F.crcB], .decided(.conflict, .failure(.localChange), .hash)),
    PlannerRow("35: a link", fail, .symlink, recorded, now, .decided(.conflict, .failure(.localChange), .none)),
    PlannerRow(
      "29: what is equal to the object is adopted, whoever wrote it", keep, F.file(F.touched), recorded,
      .present(F.version(generation: 6, size: 10, [F.crcB])), read: [F.crcB], .decided(.adopt, .present, .hash)),
    PlannerRow(
      "11: a deleted file is fetched again", keep, .absent, recorded, now, .decided(.download, .localMissing, .none)),
    PlannerRow(
      "22: an untouched file is updated", fail, F.file(), recorded,
      .present(F.version(generation: 6, size: 10, [F.crcB])),
      .decided(.update, .remoteChange, .hash)),
    PlannerRow(
      "14: an untouched file is updated to another pin", pinned, F.file(), unpinned, now,
      .decided(.update, .pinMismatch, .pin)),
    PlannerRow(
      "12: a placeholder is no change", fail, F.file(), F.row(F.object, isPlaceholder: true), now,
      .decided(.update, .placeholder, .none)),
    PlannerRow(
      "8: a directory is a conflict under every policy", keep, .directory, nil, now,
      .decided(.conflict, .failure(.isADirectory), .none)),
  ]

  @Test("a row decides", arguments: rows)
  func decides(row: PlannerRow) { row.check() }

  @Test("a file with the right bytes and another time gets its time back, unless mtime is now")
  func drift() {
    let remote = RemoteFact.present(F.version(generation: 5))
    func decision(_ entry: Entry, _ stamp: LocalStamp) -> Decision? {
      Planner().verdict(
        for: entry, local: F.file(stamp), recorded: Self.recorded, remote: remote, localDigests: DigestSet([F.crcA])
      ).decision
    }
    #expect(
      decision(F.entry([F.object]), F.touched)
        == Decision(.metadata, .mtimeDrift, by: .generation, modified: F.stamp.modified, recordsState: true))
    #expect(
      decision(F.entry([F.object], modified: .now), F.touched)
        == Decision(.skip, .reproven, by: .generation, recordsState: true))
    // Another inode alone, as after a copy that keeps times, is no drift.
    let copied = LocalStamp(size: F.stamp.size, modified: F.stamp.modified, inode: 8)
    #expect(
      decision(F.entry([F.object]), copied) == Decision(.skip, .reproven, by: .generation, recordsState: true))
  }
}
