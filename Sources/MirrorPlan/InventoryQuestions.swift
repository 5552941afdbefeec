// One listing in place of many requests: which objects share a prefix that is worth listing.

package import TransferModel

/// A prefix to list because many wanted objects lie directly below it.
package struct PrefixListing: Hashable, Sendable {
  package var bucket: String
  package var endpoint: Origin?
  /// Ends in `/`; empty = the bucket's root.
  package var prefix: String
  /// Which of the entries it answers for, in their order.
  package var entries: [Int]
  /// Give the listing up after that many pages and ask one by one: from there on it costs more than it saves.
  package var maximumPages: Int { entries.count }
}

/// Groups entries that need a remote fact.
package enum InventoryQuestions {
  /// With fewer than this, single requests run side by side and are done sooner than one listing page.
  package static let worthListing = 16

  /// The listings for the entries at these places (those whose verdict `asksRemote`); what is in none of them is asked by
  /// itself. An entry with mirrors or a pinned generation is never answered by a listing: it shows the live objects of
  /// one bucket.
  package static func listings(for places: [Int], of entries: [Entry], worthListing: Int = worthListing)
    -> [PrefixListing]
  {
    var groups: [Group: [Int]] = [:]
    for place in places {
      let entry = entries[place]
      guard entry.references.count == 1, entry.generation == nil, case .storage(let address) = entry.references[0],
        let object = address.object
      else { continue }
      let slash = object.text.utf8.lastIndex(of: UInt8(ascii: "/"))
      let prefix = slash.map { String(object.text[...$0]) } ?? ""
      groups[Group(bucket: address.bucket, endpoint: address.endpoint, prefix: ObjectName(prefix)), default: []]
        .append(place)
    }
    return groups.filter { $0.value.count >= worthListing }
      .map { group, places in
        PrefixListing(bucket: group.bucket, endpoint: group.endpoint, prefix: group.prefix.text, entries: places)
      }
      .sorted { ($0.entries.first ?? 0) < ($1.entries.first ?? 0) }
  }

  private struct Group: Hashable {
    var bucket: String
    var endpoint: Origin?
    var prefix: ObjectName
  }
}
