// One listing in place of many requests: which objects share a prefix that is worth listing.

package import TransferModel

/// A prefix to list because many wanted objects lie directly below it.
package struct PrefixListing: Sendable {
  package var bucket: String
  package var endpoint: Origin?
  /// Ends in `/`; empty = the bucket's root.
  package var prefix: String
  /// The settings of the first entry.
  package var settings: TransferSettings
  /// What is asked for: the names behind the prefix, and the numbers of their entries, in the order in which they came.
  package private(set) var names: [ObjectName] = []
  package private(set) var numbers: [Int] = []

  /// Give the listing up after that many pages and ask one by one: from there on it costs more than it saves.
  package var maximumPages: Int { numbers.count }

  fileprivate init(bucket: String, endpoint: Origin?, prefix: String, settings: TransferSettings) {
    self.bucket = bucket
    self.endpoint = endpoint
    self.prefix = prefix
    self.settings = settings
  }

  fileprivate mutating func ask(for name: ObjectName, _ number: Int) {
    names.append(name)
    numbers.append(number)
  }
}

/// Groups entries that need a remote fact. There may be very many, so of each only the last part of its name is kept.
package struct InventoryQuestions: Sendable {
  /// With fewer than this, single requests run side by side and are done sooner than one listing page.
  package static let worthListing = 16

  private struct Group: Hashable {
    var bucket: String
    var endpoint: Origin?
    var prefix: ObjectName
  }

  private var groups: [Group: PrefixListing] = [:]

  package init() {}

  /// Adds an entry whose verdict `asksRemote`. One with mirrors or a pinned generation is never answered by a listing: it
  /// shows the live objects of one bucket.
  package mutating func add(_ entry: Entry, number: Int) {
    let references = entry.references
    guard references.count == 1, entry.generation == nil, case .storage(let address) = references[0],
      let object = address.object
    else { return }
    let slash = object.text.utf8.lastIndex(of: UInt8(ascii: "/"))
    let prefix = slash.map { String(object.text[...$0]) } ?? ""
    let name = slash.map { String(object.text[object.text.utf8.index(after: $0)...]) } ?? object.text
    let group = Group(bucket: address.bucket, endpoint: address.endpoint, prefix: ObjectName(prefix))
    groups[
      group,
      default: PrefixListing(
        bucket: address.bucket, endpoint: address.endpoint, prefix: prefix, settings: entry.settings)
    ].ask(for: ObjectName(name), number)
  }

  /// The listings that are worth it, in the order of their first entries; what is in none of them is asked by itself.
  package func listings(worthListing: Int = worthListing) -> [PrefixListing] {
    groups.values.filter { $0.numbers.count >= worthListing }
      .sorted { ($0.numbers.first ?? 0) < ($1.numbers.first ?? 0) }
  }
}
