// Which keys a mapping may have and which it had, by their place in a list: there is a mapping for every item.

import MirrorPlan

/// The keys of one level of the manifest.
struct KeyTable<Key: ManifestKey>: Sendable {
  let keys: [Key]
  let spellings: [String]
  /// The places of keys that must be there.
  let required: [Int]

  init(_ type: Key.Type, required: [Key] = []) {
    spellings = Key.spellings
    keys = spellings.compactMap { Key(spelling: $0) }
    self.required = required.compactMap { [keys] in keys.firstIndex(of: $0) }
  }

  /// nil when the level has no such key. The lists are short and ordered by use, so this is faster than a hash.
  func place(of spelling: String) -> Int? {
    for place in spellings.indices where spellings[place] == spelling { return place }
    return nil
  }
}

/// The keys of one mapping that were seen, and where.
struct SeenKeys {
  private var seen: UInt64 = 0
  private var spans: [(place: Int, span: SourceSpan)] = []

  init() { spans.reserveCapacity(4) }

  func hasAll(_ places: [Int]) -> Bool { places.allSatisfy { seen & 1 << $0 != 0 } }

  subscript(place: Int) -> SourceSpan? {
    get {
      guard seen & 1 << place != 0 else { return nil }
      return spans.first { $0.place == place }?.span
    }
    set {
      guard let newValue else { return }
      seen |= 1 << place
      spans.append((place, newValue))
    }
  }
}
