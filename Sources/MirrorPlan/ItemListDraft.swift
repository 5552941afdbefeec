// `items:` as it was written, in two forms: drafts, and runs of items that are made into drafts only while they are looked
// at, because a long list is mostly these, and drafts take four times the memory of their text.

/// Many items that are read from their text whenever they are asked for.
package protocol ItemDraftRun: Sendable {
  var count: Int { get }

  /// Calls `body` with each item in the order of the text, or `plain` with one that may be read without a draft, and `body`
  /// only when that says no. The draft is lent: its memory is used again for the next one.
  func forEach(plain: (PlainItem) -> Bool, _ body: (inout ItemDraft) -> Void)
}

/// The items in the order of the text, and where the list begins.
package struct ItemListDraft: Sendable {
  package var span: SourceSpan
  private var drafts: [ItemDraft] = []
  /// Each with the number of drafts that are before it.
  private var runs: [(place: Int, run: any ItemDraftRun)] = []

  package init(span: SourceSpan) { self.span = span }

  package private(set) var count = 0

  package var isEmpty: Bool { count == 0 }

  package mutating func append(_ draft: ItemDraft) {
    drafts.append(draft)
    count += 1
  }

  package mutating func append(_ run: some ItemDraftRun) {
    runs.append((drafts.count, run))
    count += run.count
  }

  /// Calls `plain` or `body` with each item, as `ItemDraftRun.forEach`, and is empty then. A draft is let go once it was
  /// looked at, so that both forms of a long list do not stand in memory together.
  package mutating func drain(plain: (PlainItem) -> Bool, _ body: (inout ItemDraft) -> Void) {
    var rest = runs[...]
    for place in drafts.indices {
      while let first = rest.first, first.place == place {
        first.run.forEach(plain: plain, body)
        rest.removeFirst()
      }
      var draft = ItemDraft(span: span)
      swap(&draft, &drafts[place])
      body(&draft)
    }
    for last in rest { last.run.forEach(plain: plain, body) }
    self = ItemListDraft(span: span)
  }
}
