// The rows of `Planner`'s second table, in their order. The numbers in the comments are the rows'.

import TransferModel

struct PlannerTable {
  let facts: PlannerFacts
  let content: LocalContent
  let asksFirst: Bool

  private var entry: Entry { facts.entry }

  func verdict() -> Verdict {
    if let proven = provenWithoutAsking() { return proven }
    switch facts.remote {
    case .failed(let failure): return .decided(.failed(failure))  // 5
    case .absent: return .decided(absent())
    case .notAsked, .present: break
    }
    switch content {
    case .blocked: return .decided(blocked())
    case .nothing where facts.local == .symlink: return replaced(emptyHanded(), .localDiffers)
    case .nothing, .standIn: return fetched(emptyHanded())
    case .recorded(let row, let reproven): return recorded(row, reproven: reproven)
    case .changed(_, let byHash): return unrecorded(.localChange, by: byHash ? .hash : .size)
    case .foreign: return unrecorded(.localDiffers, by: .none)
    }
  }

  /// Rows 1 to 4.
  private func provenWithoutAsking() -> Verdict? {
    switch content {
    case .nothing, .blocked, .standIn: return nil
    case .recorded, .changed, .foreign: break
    }
    switch pinned() {
    case .none, .different: break
    case .unknown: return .needsLocalDigests(entry.pins.algorithms)
    case .equal:
      if case .recorded(_, let reproven) = content { return kept(by: .pin, reproven: reproven) }
      return .decided(adopted(by: .pin))
    }
    if case .recorded(let row, let reproven) = content, !hasPinMismatch, let generation = entry.generation,
      facts.isSameSource, row.version.generation == generation, !formChanged(row)
    {
      return kept(by: .generation, reproven: reproven)
    }
    return nil
  }

  // MARK: Pins

  private enum Pinned { case none, equal, different, unknown }

  private func pinned() -> Pinned {
    guard !entry.pins.isEmpty else { return .none }
    let known = facts.digests(of: content)
    if case .different = entry.pins.compare(with: known) { return .different }
    return entry.pins.algorithms.isSubset(of: known.algorithms) ? .equal : .unknown
  }

  private var hasPinMismatch: Bool { pinned() == .different }

  // MARK: Nothing to compare with

  /// Rows 6 and 7.
  private func absent() -> Decision {
    if entry.isFromTree { return Decision(.skip, .gone) }
    return .failed(
      TransferFailure(
        .notFound, .permanent, "There is no object \(TerminalText.escape(entry.references[facts.asked].display)).",
        hint: "Check the name; names are compared byte by byte.", httpStatus: 404))
  }

  /// Rows 8 and 9.
  private func blocked() -> Decision {
    let name = TerminalText.escape(entry.destination.text)
    if facts.local == .directory {
      return .failed(
        TransferFailure(
          .isADirectory, .permanent, "A directory stands at \(name).",
          hint: "Remove it or choose another destination; mirror replaces no directory."), action: .conflict)
    }
    return .failed(
      TransferFailure(
        .nameConflict, .permanent, "Something that is no regular file stands at \(name).",
        hint: "Remove it or choose another destination."), action: .conflict)
  }

  /// Rows 10 to 12.
  private func emptyHanded() -> Decision {
    if content == .standIn { return Decision(.update, .placeholder) }
    if facts.local == .symlink { return Decision(.update, .replacesSymlink) }
    return Decision(.download, facts.recorded == nil ? .new : .localMissing)
  }

  // MARK: A recorded file

  /// Rows 13 to 24.
  private func recorded(_ row: RecordedFile, reproven: Bool) -> Verdict {
    if hasPinMismatch { return fetched(Decision(.update, .pinMismatch, by: .pin)) }
    if formChanged(row) { return fetched(Decision(.update, .contentForm)) }
    guard case .present(let version) = facts.remote else { return recordedNotAsked(row) }
    switch facts.compare(row, with: version) {
    case .same(let comparedBy):  // 21
      guard mayRely(on: comparedBy) else { return .decided(notComparable(by: comparedBy)) }
      let isNews = !facts.isSameSource || (version.generation != nil && version.generation != row.version.generation)
      return kept(by: comparedBy, reproven: reproven, recordsState: isNews)
    case .different(let comparedBy):  // 22
      let reason: PlanReason =
        facts.isSameSource ? (entry.generation == nil ? .remoteChange : .generationChange) : .sourceChange
      return fetched(
        Decision(.update, reason, by: comparedBy, standing: comparedBy == .hash ? nil : facts.digests(of: content)))
    case .needsDigests(let algorithms):  // 23
      return .needsLocalDigests(algorithms)
    case .incomparable:  // 24
      guard facts.isSameSource else {
        return fetched(Decision(.update, .sourceChange, standing: facts.digests(of: content)))
      }
      return askedByTransfer(row)
    }
  }

  /// Rows 16 to 20.
  private func recordedNotAsked(_ row: RecordedFile) -> Verdict {
    if asksFirst || !facts.isSameSource { return .needsRemote }
    if let generation = entry.generation, generation != row.version.generation {
      return fetched(
        Decision(.update, .generationChange, by: .generation, standing: facts.digests(of: content)))
    }
    if facts.isStorage, row.version.generation == nil { return .needsRemote }
    return askedByTransfer(row)
  }

  /// Rows 18, 20 and 24: the GET itself finds out.
  private func askedByTransfer(_ row: RecordedFile) -> Verdict {
    guard let validator = facts.conditionalValidator(of: row) else { return nothingToCompare() }
    let comparedBy = ComparedBy(validator)
    guard mayRely(on: comparedBy) else { return .decided(notComparable(by: comparedBy)) }
    return .decided(
      Decision(
        .update, .ask, by: comparedBy, fetch: .conditional(validator, reference: facts.asked),
        standing: facts.digests(of: content), mode: modeToSet, modified: modifiedToSet, recordsState: isReproven))
  }

  private func nothingToCompare() -> Verdict {
    guard mayRely(on: .none) else { return .decided(notComparable(by: .none)) }
    let known = facts.digests(of: content)
    return fetched(Decision(.update, .nothingToCompare, standing: known.isEmpty ? nil : known))
  }

  /// Row 15.
  private func formChanged(_ row: RecordedFile) -> Bool {
    row.content != entry.settings.content && row.version.isCoded
  }

  // MARK: A file that is not as recorded

  /// Rows 13, 14 and 25 to 32.
  private func unrecorded(_ reason: PlanReason, by known: ComparedBy) -> Verdict {
    let standing = facts.localDigests.isEmpty ? nil : facts.localDigests
    if hasPinMismatch { return replaced(Decision(.update, .pinMismatch, by: .pin), reason) }
    guard case .present(let version) = facts.remote else {
      if known == .none || isProtected { return .needsRemote }  // 26, 33
      return fetched(Decision(.update, reason, by: known, standing: standing))  // 25
    }
    if facts.keepsStoredBytes(of: version) {
      if let size = version.size, size != facts.localSize {
        return replaced(Decision(.update, reason, by: .size), reason)  // 27
      }
      if !version.digests.isEmpty {
        switch facts.localDigests.compare(with: version.digests) {
        case .equal: return .decided(adopted(by: .hash))  // 29
        case .different: return replaced(Decision(.update, reason, by: .hash), reason)  // 30
        case .incomparable: return .needsLocalDigests(version.digests.worthComputing)  // 28
        }
      }
    }
    if known == .none, !isProtected { return nothingToCompare() }  // 32
    return replaced(Decision(.update, reason, by: known, standing: standing), reason)  // 31
  }

  private var isProtected: Bool { entry.settings.onLocalChange != .overwrite }

  /// Rows 33 and 34: a decision that would replace what is not mirror's, unless `on_local_change` forbids it.
  private func replaced(_ decision: Decision, _ reason: PlanReason) -> Verdict {
    switch entry.settings.onLocalChange {
    case .overwrite: return fetched(decision)
    case .keep: return .decided(Decision(.skip, reason, by: decision.comparedBy))
    case .fail:
      let name = TerminalText.escape(entry.destination.text)
      return .decided(
        .failed(
          TransferFailure(
            .localChange, .permanent,
            reason == .localChange
              ? "\(name) was changed since mirror wrote it, and on_local_change is fail."
              : "\(name) is not as mirror wrote it, and on_local_change is fail.",
            hint: "Move it away, or set on_local_change: overwrite for this entry."),
          action: .conflict, by: decision.comparedBy))
    }
  }

  // MARK: What holds over all rows

  private func mayRely(on comparedBy: ComparedBy) -> Bool {
    entry.settings.verify != .strict || comparedBy.isStrong
  }

  private func notComparable(by comparedBy: ComparedBy) -> Decision {
    .failed(
      TransferFailure(
        .notComparable, .permanent,
        "\(TerminalText.escape(entry.destination.text)) can be compared with the remote object by "
          + "\(comparedBy == .none ? "nothing" : comparedBy.rawValue) only, and verify is strict.",
        hint: "Pin a hash, or set verify: auto."), by: comparedBy)
  }

  private var modeToSet: UInt16? {
    guard case .file(_, let mode) = facts.local, let wanted = entry.settings.mode, wanted != mode & 0o7777 else {
      return nil
    }
    return wanted
  }

  private var isReproven: Bool {
    if case .recorded(_, reproven: true) = content { true } else { false }
  }

  /// The time that mirror had set on a file whose bytes are still the same.
  private var modifiedToSet: Int64? {
    guard case .recorded(let row, reproven: true) = content, case .file(let stamp, _) = facts.local,
      entry.settings.modified == .source, stamp.modified != row.stamp.modified
    else { return nil }
    return row.stamp.modified
  }

  private func kept(by comparedBy: ComparedBy, reproven: Bool, recordsState: Bool = false) -> Verdict {
    let (mode, modified) = (modeToSet, modifiedToSet)
    let reason: PlanReason =
      mode != nil ? .modeDrift : modified != nil ? .mtimeDrift : reproven ? .reproven : .unchanged
    return .decided(
      Decision(
        mode == nil && modified == nil ? .skip : .metadata, reason, by: comparedBy, mode: mode, modified: modified,
        recordsState: reproven || recordsState))
  }

  private func adopted(by comparedBy: ComparedBy) -> Decision {
    Decision(.adopt, .present, by: comparedBy, mode: modeToSet, recordsState: true)
  }

  /// Completes a decision that moves bytes: asks first where that is wanted, refuses what must fail, says how to fetch.
  private func fetched(_ decision: Decision) -> Verdict {
    var decision = decision
    switch facts.remote {
    case .present(let version):
      if let refusal = facts.refusal(of: version) { return .decided(.failed(refusal, by: decision.comparedBy)) }
      decision.fetch = facts.fetch(of: version)
    case .notAsked, .absent, .failed:
      if asksFirst { return .needsRemote }
      decision.fetch = entry.generation.map { .version(ObjectVersion(generation: $0)) } ?? .whole
    }
    return .decided(decision)
  }
}
