// The rows of `Planner`'s second table, in their order.

import TransferModel

struct PlannerTable {
  let facts: PlannerFacts
  let content: LocalContent
  let asksFirst: Bool

  private var entry: Entry { facts.entry }

  func ruling() -> Ruling {
    if let proven = provenWithoutAsking() { return proven }
    switch facts.remote {
    case .failed(let failure): return Ruling(.failed(failure), .row5)
    case .absent: return absent()
    case .notAsked, .present: break
    }
    switch content {
    case .blocked: return blocked()
    case .nothing where facts.local == .symlink: return replaced(emptyHanded(), .localDiffers, emptyHandedRule)
    case .nothing, .standIn: return fetched(emptyHanded(), emptyHandedRule)
    case .recorded(let row, let reproven): return recorded(row, reproven: reproven)
    case .changed(_, let byHash): return unrecorded(.localChange, by: byHash ? .hash : .size)
    case .foreign: return unrecorded(.localDiffers, by: .none)
    }
  }

  /// Rows 1 to 4.
  private func provenWithoutAsking() -> Ruling? {
    switch content {
    case .nothing, .blocked, .standIn: return nil
    case .recorded, .changed, .foreign: break
    }
    switch pinned() {
    case .none, .different: break
    case .unknown: return Ruling(.needsLocalDigests(entry.pins.algorithms), .row3)
    case .equal:
      guard case .recorded(let row, let reproven) = content else { return Ruling(adopted(by: .pin), .row2) }
      // Digests that were computed for a pin are kept, or every run would read the file again.
      let isNews = !facts.localDigests.algorithms.isSubset(of: row.digests.algorithms)
      return Ruling(kept(by: .pin, reproven: reproven, recordsState: isNews), .row1)
    }
    if case .recorded(let row, let reproven) = content, !hasPinMismatch, let generation = entry.generation,
      facts.isSameSource, row.version.generation == generation, !formChanged(row)
    {
      return Ruling(kept(by: .generation, reproven: reproven), .row4)
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
  private func absent() -> Ruling {
    if entry.isFromTree { return Ruling(Decision(.skip, .gone), .row7) }
    let failure = TransferFailure(
      .notFound, .permanent, "There is no object \(TerminalText.escape(entry.references[facts.asked].display)).",
      hint: "Check the name; names are compared byte by byte.", httpStatus: 404)
    return Ruling(.failed(failure), .row6)
  }

  /// Rows 8 and 9.
  private func blocked() -> Ruling {
    let name = TerminalText.escape(entry.destination.text)
    if facts.local == .directory {
      let failure = TransferFailure(
        .isADirectory, .permanent, "A directory stands at \(name).",
        hint: "Remove it or choose another destination; mirror replaces no directory.")
      return Ruling(.failed(failure, action: .conflict), .row8)
    }
    let failure = TransferFailure(
      .nameConflict, .permanent, "Something that is no regular file stands at \(name).",
      hint: "Remove it or choose another destination.")
    return Ruling(.failed(failure, action: .conflict), .row9)
  }

  /// Rows 10 to 12.
  private func emptyHanded() -> Decision {
    if content == .standIn { return Decision(.update, .placeholder) }
    if facts.local == .symlink { return Decision(.update, .replacesSymlink) }
    return Decision(.download, facts.recorded == nil ? .new : .localMissing)
  }

  private var emptyHandedRule: PlannerRule { isPresent ? (content == .standIn ? .row12 : .row11) : .row10 }

  // MARK: A recorded file

  /// Rows 13 to 24.
  private func recorded(_ row: RecordedFile, reproven: Bool) -> Ruling {
    if hasPinMismatch { return fetched(Decision(.update, .pinMismatch, by: .pin), pinMismatchRule) }
    if formChanged(row) { return fetched(Decision(.update, .contentForm), .row15) }
    guard case .present(let version) = facts.remote else { return recordedNotAsked(row) }
    switch facts.compare(row, with: version) {
    case .same(let comparedBy):
      guard mayRely(on: comparedBy) else { return Ruling(notComparable(by: comparedBy), .row21) }
      let isNews = !facts.isSameSource || (version.generation != nil && version.generation != row.version.generation)
      return Ruling(kept(by: comparedBy, reproven: reproven, recordsState: isNews), .row21)
    case .different(let comparedBy):
      let reason: PlanReason =
        facts.isSameSource ? (entry.generation == nil ? .remoteChange : .generationChange) : .sourceChange
      return fetched(
        Decision(.update, reason, by: comparedBy, standing: comparedBy == .hash ? nil : facts.digests(of: content)),
        facts.isSameSource ? .row22 : .row24b)
    case .needsDigests(let algorithms): return Ruling(.needsLocalDigests(algorithms), .row23)
    case .incomparable:
      guard facts.isSameSource else {
        return fetched(Decision(.update, .sourceChange, standing: facts.digests(of: content)), .row24b)
      }
      return askedByTransfer(row, .row24)
    }
  }

  /// Rows 16 to 20.
  private func recordedNotAsked(_ row: RecordedFile) -> Ruling {
    if !facts.isSameSource { return Ruling(.needsRemote, .row17) }
    let movesGeneration = entry.generation != nil && entry.generation != row.version.generation
    let hasNoGeneration = facts.isStorage && row.version.generation == nil
    if asksFirst { return Ruling(.needsRemote, movesGeneration ? .row16 : hasNoGeneration ? .row19 : .row18) }
    if movesGeneration {
      return fetched(
        Decision(.update, .generationChange, by: .generation, standing: facts.digests(of: content)), .row16)
    }
    if hasNoGeneration { return Ruling(.needsRemote, .row19) }
    return askedByTransfer(row, facts.conditionalValidator(of: row) == nil ? .row20 : .row18)
  }

  /// Rows 18, 20 and 24: the GET itself finds out.
  private func askedByTransfer(_ row: RecordedFile, _ rule: PlannerRule) -> Ruling {
    guard let validator = facts.conditionalValidator(of: row) else { return nothingToCompare(rule) }
    let comparedBy = ComparedBy(validator)
    guard mayRely(on: comparedBy) else { return Ruling(notComparable(by: comparedBy), rule) }
    return Ruling(
      Decision(
        .update, .ask, by: comparedBy, fetch: .conditional(validator, reference: facts.asked),
        standing: facts.digests(of: content), mode: modeToSet, modified: modifiedToSet, recordsState: isReproven), rule)
  }

  private func nothingToCompare(_ rule: PlannerRule) -> Ruling {
    guard mayRely(on: .none) else { return Ruling(notComparable(by: .none), rule) }
    let known = facts.digests(of: content)
    return fetched(Decision(.update, .nothingToCompare, standing: known.isEmpty ? nil : known), rule)
  }

  private var pinMismatchRule: PlannerRule { isPresent ? .row14 : .row13 }

  private var isPresent: Bool {
    if case .present = facts.remote { return true }
    return false
  }

  /// Row 15.
  private func formChanged(_ row: RecordedFile) -> Bool {
    row.content != entry.content && row.version.isCoded
  }

  // MARK: A file that is not as recorded

  /// Rows 13, 14 and 25 to 32.
  private func unrecorded(_ reason: PlanReason, by known: ComparedBy) -> Ruling {
    let standing = facts.localDigests.isEmpty ? nil : facts.localDigests
    if hasPinMismatch { return replaced(Decision(.update, .pinMismatch, by: .pin), reason, pinMismatchRule) }
    guard case .present(let version) = facts.remote else {
      if known == .none { return Ruling(.needsRemote, .row26) }
      if isProtected { return Ruling(.needsRemote, .row33) }
      return fetched(Decision(.update, reason, by: known, standing: standing), .row25)
    }
    if facts.keepsStoredBytes(of: version) {
      if let size = version.size, size != facts.localSize {
        return replaced(Decision(.update, reason, by: .size), reason, .row27)
      }
      if !version.digests.isEmpty {
        switch facts.localDigests.compare(with: version.digests) {
        case .equal: return Ruling(adopted(by: .hash), .row29)
        case .different: return replaced(Decision(.update, reason, by: .hash), reason, .row30)
        case .incomparable: return Ruling(.needsLocalDigests(version.digests.worthComputing), .row28)
        }
      }
    }
    if known == .none, !isProtected { return nothingToCompare(.row32) }
    return replaced(
      Decision(.update, reason, by: known, standing: standing), reason, known == .none ? .row32 : .row31)
  }

  private var isProtected: Bool { entry.settings.onLocalChange != .overwrite }

  /// Rows 33 to 35: a decision that would replace what is not mirror's, unless `on_local_change` forbids it.
  private func replaced(_ decision: Decision, _ reason: PlanReason, _ rule: PlannerRule) -> Ruling {
    switch entry.settings.onLocalChange {
    case .overwrite: return fetched(decision, rule)
    case .keep: return Ruling(Decision(.skip, reason, by: decision.comparedBy), .row34)
    case .fail:
      let name = TerminalText.escape(entry.destination.text)
      let failure = TransferFailure(
        .localChange, .permanent,
        reason == .localChange
          ? "\(name) was changed since mirror wrote it, and on_local_change is fail."
          : "\(name) is not as mirror wrote it, and on_local_change is fail.",
        hint: "Move it away, or set on_local_change: overwrite for this entry.")
      return Ruling(.failed(failure, action: .conflict, by: decision.comparedBy), .row35)
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

  private func kept(by comparedBy: ComparedBy, reproven: Bool, recordsState: Bool = false) -> Decision {
    let (mode, modified) = (modeToSet, modifiedToSet)
    let reason: PlanReason =
      mode != nil ? .modeDrift : modified != nil ? .mtimeDrift : reproven ? .reproven : .unchanged
    return Decision(
      mode == nil && modified == nil ? .skip : .metadata, reason, by: comparedBy, mode: mode, modified: modified,
      recordsState: reproven || recordsState)
  }

  private func adopted(by comparedBy: ComparedBy) -> Decision {
    Decision(.adopt, .present, by: comparedBy, mode: modeToSet, recordsState: true)
  }

  /// Completes a decision that moves bytes: asks first where that is wanted, refuses what must fail, says how to fetch.
  private func fetched(_ decision: Decision, _ rule: PlannerRule) -> Ruling {
    var decision = decision
    switch facts.remote {
    case .present(let version):
      if let refusal = facts.refusal(of: version) {
        return Ruling(.failed(refusal, by: decision.comparedBy), rule)
      }
      decision.fetch = facts.fetch(of: version)
    case .notAsked, .absent, .failed:
      if asksFirst { return Ruling(.needsRemote, rule) }
      decision.fetch = entry.generation.map { .version(ObjectVersion(generation: $0)) } ?? .whole
    }
    return Ruling(decision, rule)
  }
}
