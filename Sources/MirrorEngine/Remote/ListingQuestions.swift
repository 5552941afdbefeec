// Answers many entries with one list, where the planner says that it pays.

import MirrorPlan
import StorageCore
import TransferModel

extension RemoteStore {
  /// What the lists say; entries that no list answers are left out and asked one by one.
  ///
  /// A list that fails, or that has more pages than it saves requests, answers nothing beyond what it has shown.
  func answers(by listings: [PrefixListing]) async -> ListedFacts {
    var facts = ListedFacts()
    for listing in listings { await ask(listing, &facts) }
    return facts
  }

  private func ask(_ listing: PrefixListing, _ facts: inout ListedFacts) async {
    var wanted: [ObjectName: [Int]] = [:]
    for (name, number) in zip(listing.names, listing.numbers) { wanted[name, default: []].append(number) }
    let service = service(at: listing.endpoint)
    var cursor = ListCursor(expectsOrder: true)
    do {
      for _ in 0..<listing.maximumPages {
        let request = service.list(
          bucket: listing.bucket, prefix: listing.prefix, depth: .folder, pageToken: cursor.token,
          maxResults: StorageAPI.largestPage)
        let page = try await page(request, service: service, settings: listing.settings)
        try cursor.accept(page)
        for item in page.items {
          guard let name = item.name.behind(listing.prefix) else { continue }
          for number in wanted.removeValue(forKey: ObjectName(name)) ?? [] { facts.note(item.version, of: number) }
        }
        guard !cursor.isComplete else { break }
      }
    } catch {
      // Each entry is asked by itself then, and fails by itself.
      return
    }
    guard cursor.isComplete else { return }
    for number in wanted.values.joined() { facts.note(absent: number) }
  }
}
