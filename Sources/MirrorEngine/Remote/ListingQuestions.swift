// Answers many entries with one list, where the planner says that it pays.

import CloudStorage
import MirrorPlan
import TransferModel

extension RemoteStore {
  /// What the lists say of the entries at `places`; entries that no list answers are left out and asked one by one.
  ///
  /// A list that fails, or that has more pages than it saves requests, answers nothing beyond what it has shown.
  func answers(for places: [Int], of entries: [Entry]) async -> [Int: RemoteFact] {
    guard listsNameVersions else { return [:] }
    var facts: [Int: RemoteFact] = [:]
    for listing in InventoryQuestions.listings(for: places, of: entries) {
      facts.merge(await answers(by: listing, of: entries)) { first, _ in first }
    }
    return facts
  }

  private func answers(by listing: PrefixListing, of entries: [Entry]) async -> [Int: RemoteFact] {
    var wanted: [ObjectName: [Int]] = [:]
    for place in listing.entries {
      guard case .storage(let address) = entries[place].references[0], let object = address.object else { continue }
      wanted[object, default: []].append(place)
    }
    guard let settings = listing.entries.first.map({ entries[$0].settings }) else { return [:] }
    var facts: [Int: RemoteFact] = [:]
    let service = service(at: listing.endpoint)
    var cursor = ListCursor(expectsOrder: true)
    do {
      for _ in 0..<listing.maximumPages {
        let request = service.list(
          bucket: listing.bucket, prefix: listing.prefix, depth: .folder, pageToken: cursor.token,
          maxResults: StorageAPI.largestPage)
        let page = try await page(request, service: service, settings: settings)
        try cursor.accept(page)
        for item in page.items {
          for place in wanted.removeValue(forKey: item.name) ?? [] { facts[place] = .present(item.version) }
        }
        guard !cursor.isComplete else { break }
      }
    } catch {
      // Each entry is asked by itself then, and fails by itself.
      return facts
    }
    if cursor.isComplete {
      for place in wanted.values.joined() { facts[place] = .absent }
    }
    return facts
  }
}
