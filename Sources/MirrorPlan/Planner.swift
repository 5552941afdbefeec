// Decides what is done with an entry: a pure function of four facts. Gathering the facts and doing what was decided are
// `MirrorEngine`'s; what entries there are is `EntryInventory`'s; deleting is `Planner+Prune.swift`.

package import TransferModel

/// Decides from what is wanted, what is local, what was recorded and what is remote.
///
/// First, what is known of the bytes at the destination:
///
/// | content | when |
/// | --- | --- |
/// | nothing | absent, or a symbolic link (it is never followed; the file takes its place) |
/// | blocked | a directory, socket, device or pipe |
/// | stand-in | recorded as the manifest's placeholder, stamp unmoved |
/// | recorded | recorded, stamp unmoved and `checksLocal` off; or the file's digests are the recorded ones (*reproven*) |
/// | changed | recorded, but size or digests are others |
/// | foreign | not recorded |
/// | *question* | recorded, stamp moved (or `checksLocal`), same size: `needsLocalDigests` |
///
/// Then the first row that fits. "Ask" is `needsRemote` when `asksFirst` is on.
///
/// | # | content | wanted | remote | verdict | compared by |
/// | --: | --- | --- | --- | --- | --- |
/// | 1 | recorded | every pin equal | any | skip | pin |
/// | 2 | changed, foreign | every pin equal | any | adopt | pin |
/// | 3 | any file | pins, digests of it not known | any | `needsLocalDigests` | |
/// | 4 | recorded, same source | generation pinned and recorded | any | skip | generation |
/// | 5 | any | | failed | error: that failure | |
/// | 6 | any | item | absent | error `not_found` | |
/// | 7 | any | tree | absent | skip `gone` | |
/// | 8 | blocked: directory | | any | conflict `is_a_directory` | |
/// | 9 | blocked: other | | any | conflict `name_conflict` | |
/// | 10 | nothing, stand-in | | not asked | ask, else as 11, 12 | |
/// | 11 | nothing | | present | download `new` or `local_missing`; a link: update `replaces_symlink` | |
/// | 12 | stand-in | | present | update `placeholder` | |
/// | 13 | any file | a pin differs | not asked | ask, else update `pin_mismatch` | pin |
/// | 14 | any file | a pin differs | present | update `pin_mismatch` | pin |
/// | 15 | recorded | the other form of `content`, and the object is coded | any | ask, update `content_form` | |
/// | 16 | recorded | another generation | not asked | ask, else update `generation_change` | generation |
/// | 17 | recorded, other source | | not asked | `needsRemote` | |
/// | 18 | recorded | | not asked | ask, else update `ask`, conditional on the recorded validator | its kind |
/// | 19 | recorded, no validator | storage | not asked | `needsRemote` | |
/// | 20 | recorded, no validator | web | not asked | ask, else update `nothing_to_compare` | none |
/// | 21 | recorded | | present, same | skip | see below |
/// | 22 | recorded | | present, other | update `remote_change` or `generation_change` | see below |
/// | 23 | recorded | | present, its digests are new to us | `needsLocalDigests` | |
/// | 24 | recorded | | present, nothing in common | as 18 without asking, else update `nothing_to_compare` | none |
/// | 24 b | recorded, other source | | present, other or nothing in common | update `source_change` | hash, size, none |
/// | 25 | changed | | not asked | ask, else update `local_change` | hash or size |
/// | 26 | foreign | | not asked | `needsRemote` | |
/// | 27 | changed, foreign | | present, other size | update `local_change` or `local_differs` | size |
/// | 28 | changed, foreign | | present with digests | `needsLocalDigests`, then 29 or 30 | |
/// | 29 | changed, foreign | | present, digests equal | adopt `present` | hash |
/// | 30 | changed, foreign | | present, digests differ | update `local_change` or `local_differs` | hash |
/// | 31 | changed | | present, no digests | update `local_change` | hash or size |
/// | 32 | foreign | | present, no digests | update `nothing_to_compare` | none |
/// | 33 | changed, foreign, a link | `on_local_change: keep` | not asked | `needsRemote` | |
/// | 34 | the same, where 11, 13, 14, 27, 30, 31, 32 say update | `keep` | any | skip `local_change` or `local_differs` | as there |
/// | 35 | the same | `fail` | any | conflict `local_change` | as there |
///
/// "Compared by" for a recorded file is the first of these that both sides have: generation (equal); hash; strong ETag
/// (equal); hash after reading the file; generation; strong ETag; size (other); weak ETag; `Last-Modified`; size.
/// Validators count only when they are of the same source. Of an object in a bucket, ETag and times are not looked at:
/// reading through the Firebase API can change both. Times are held for equal or not, never for earlier or later.
/// Sizes that are equal prove nothing of a URL whose server names no validator: such a file is fetched and compared.
///
/// Over all that:
/// - `verify: strict` turns 20, 24 without a validator, 32, and 18 and 21 by something weaker than a strong ETag, into
///   error `not_comparable`.
/// - A fetch that must fail is an error before a byte moves: the object is over `max_size`, has not the size that the
///   manifest names, or contradicts a pin. Not for entries with mirrors, where the next may be right.
/// - Skip becomes metadata when `mode` is set and is not the file's, or when a file whose bytes had to be read again has
///   another time of change than mirror had set (`mtime: source`); adopt and metadata carry what is to be set.
package struct Planner: Sendable, Hashable {
  /// Whether files are read even when their stamp has not moved (`--check`).
  package var checksLocal: Bool
  /// Whether every remote fact is wanted before a decision, as `mirror plan` does; else a GET that the entry may need
  /// anyway is left to find out by itself, conditionally.
  package var asksFirst: Bool

  package init(checksLocal: Bool = false, asksFirst: Bool = false) {
    self.checksLocal = checksLocal
    self.asksFirst = asksFirst
  }

  /// The reference that remote facts of an entry are about: the one that served the recorded bytes, else the first.
  package static func referenceToAsk(_ entry: Entry, recorded: RecordedFile?) -> Int {
    guard let recorded else { return 0 }
    // Nearly always the first, or there is no other.
    if entry.sourceKeys.count == 1 || entry.sourceKey.text.hasSameBytes(as: recorded.source) { return 0 }
    return entry.sourceKeys.firstIndex(of: SourceKey(recorded: recorded.source)) ?? 0
  }

  /// The verdict on one entry.
  ///
  /// `remote` is about `referenceToAsk`; `.absent` and `.failed` mean at every mirror. `localDigests` are all that were
  /// computed of the file as `local` saw it, nil when none were; the caller keeps those of an earlier question.
  package func verdict(
    for entry: Entry, local: LocalFact, recorded: RecordedFile?, remote: RemoteFact, localDigests: DigestSet? = nil
  ) -> Verdict {
    ruling(for: entry, local: local, recorded: recorded, remote: remote, localDigests: localDigests).verdict
  }

  /// The same, with the row that it comes from.
  package func ruling(
    for entry: Entry, local: LocalFact, recorded: RecordedFile?, remote: RemoteFact, localDigests: DigestSet? = nil
  ) -> Ruling {
    let facts = PlannerFacts(
      entry: entry, local: local, recorded: recorded, remote: remote, localDigests: localDigests ?? DigestSet())
    switch facts.content(checksLocal: checksLocal) {
    case .mustRead(let algorithms):
      return Ruling(.needsLocalDigests(algorithms), .question)
    case .known(let content):
      return PlannerTable(facts: facts, content: content, asksFirst: asksFirst).ruling()
    }
  }
}
