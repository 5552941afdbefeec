// What was written, with the place of every value, before any rule about values is applied.
// The decoder has seen to keys and shapes (a text, a list, a mapping); the rules are `ManifestValidator`.

package import TransferModel

/// The scalar values of one mapping, by key. A short list: an item has two or three.
package struct Fields<Key: ManifestKey>: Sendable {
  private struct Entry: Sendable {
    var key: Key
    var text: LocatedText
  }

  private var entries: [Entry] = []

  package init() {}

  package var isEmpty: Bool { entries.isEmpty }

  /// The memory is kept.
  mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

  /// The value that was written for the key; nil when it was left out, or was no text and has been reported.
  package subscript(key: Key) -> LocatedText? {
    get {
      for index in entries.indices where entries[index].key == key { return entries[index].text }
      return nil
    }
    set {
      for index in entries.indices where entries[index].key == key {
        entries.remove(at: index)
        break
      }
      guard let newValue else { return }
      // An item has two or three.
      if entries.isEmpty { entries.reserveCapacity(2) }
      entries.append(Entry(key: key, text: newValue))
    }
  }
}

/// A list, and where it begins.
package struct ListDraft<Element: Sendable>: Sendable {
  package var span: SourceSpan
  package var elements: [Element]

  @inlinable
  package init(span: SourceSpan, elements: [Element] = []) {
    self.span = span
    self.elements = elements
  }
}

/// A whole manifest. nil = left out, or reported as broken.
package struct ManifestDraft: Sendable {
  /// `version`, `root`; the other keys are structured.
  package var fields = Fields<TopKey>()
  package var storage = Fields<StorageKey>()
  package var auth: [AuthDraft] = []
  package var defaults = SettingsDraft()
  package var limits = Fields<LimitKey>()
  /// The limits that are written as a table.
  package var rateTables: [LimitKey: ListDraft<RateRowDraft>] = [:]
  /// A plain word is the mode.
  package var publish = Fields<PublishKey>()
  package var items: ItemListDraft?
  package var trees: ListDraft<TreeDraft>?
  package var report = Fields<ReportKey>()
  package var onChange: ListDraft<LocatedText>?
  /// Whether the text was read to its end: after a syntax error, what is missing may only not have been read.
  package var isComplete = false

  package init() {}
}

/// One row of a rate by the time of day.
package struct RateRowDraft: Sendable {
  package var span: SourceSpan
  package var fields = Fields<RateRowKey>()

  package init(span: SourceSpan) { self.span = span }
}

/// One entry of `auth`.
package struct AuthDraft: Sendable {
  package var span: SourceSpan
  /// The texts. `google` and `firebase` are here when they are a word, and below when they are a mapping.
  package var fields = Fields<AuthKey>()
  package var value: SecretDraft?
  package var appCheck: SecretDraft?
  package var basic: CredentialDraft<BasicKey>?
  package var google: CredentialDraft<GoogleKey>?
  package var firebase: CredentialDraft<FirebaseKey>?
  package var tokenOrigins: ListDraft<LocatedText>?
  package var tls: CredentialDraft<TLSKey>?
  /// Whether a value was refused by the decoder, and reported: then what is missing may only have been broken.
  package var isBroken = false

  package init(span: SourceSpan) { self.span = span }
}

/// A mapping of keys to texts and secrets.
package struct CredentialDraft<Key: ManifestKey>: Sendable {
  package var span: SourceSpan
  package var fields = Fields<Key>()
  package var secrets: [Key: SecretDraft] = [:]
  /// As in `AuthDraft`.
  package var isBroken = false

  package init(span: SourceSpan) { self.span = span }
}

package struct SecretDraft: Sendable {
  package var span: SourceSpan
  package var fields = Fields<SecretKey>()
  package var command: ListDraft<LocatedText>?

  package init(span: SourceSpan) { self.span = span }
}

/// The overridable settings as written at one place.
package struct SettingsDraft: Sendable {
  package var fields = Fields<SettingKey>()
  package var timeout = Fields<TimeoutKey>()
  package var retry = Fields<RetryKey>()
  package var statuses: ListDraft<LocatedText>?
  package var ranges = Fields<RangesKey>()

  package init() {}

  package var isEmpty: Bool { fields.isEmpty && timeout.isEmpty && retry.isEmpty && statuses == nil }
}

package struct ItemDraft: Sendable {
  package var span: SourceSpan
  package var references: [LocatedText] = []
  package var fields = Fields<ItemKey>()
  package var settings = SettingsDraft()
  /// Digests whose texts were plainly those: there is nothing to report of them, and no text of theirs in `fields`.
  package var pins = DigestSet()

  package init(span: SourceSpan) { self.span = span }

  /// Makes it the draft of an item that says nothing, in the memory that it has.
  package mutating func clear() {
    references.removeAll(keepingCapacity: true)
    fields.removeAll()
    pins = DigestSet()
    if !settings.isEmpty { settings = SettingsDraft() }
  }

  /// As by `fields[key]`, but for one kind of key and so in this module: there is a call for every value of every item.
  package mutating func set(_ key: ItemKey, _ text: LocatedText?) { fields[key] = text }
}

package struct TreeDraft: Sendable {
  package var span: SourceSpan
  package var fields = Fields<TreeKey>()
  package var include: ListDraft<LocatedText>?
  package var exclude: ListDraft<LocatedText>?
  package var prune = Fields<PruneKey>()
  package var settings = SettingsDraft()

  package init(span: SourceSpan) { self.span = span }
}
