// What one look into a folder has found.

import StorageCore
import TransferModel

/// Objects and folders directly below a reference.
public struct StorageListResult: Hashable, Sendable {
  /// Folders: what names share up to the next slash. In the server's order.
  public let prefixes: [StorageReference]
  /// Objects, in the server's order.
  public let items: [StorageReference]
  /// What the next page is asked for with; nil when this is the last one, and for a whole list. A page may be empty and
  /// still have it.
  public let pageToken: String?

  init(prefixes: [StorageReference], items: [StorageReference], pageToken: String? = nil) {
    self.prefixes = prefixes
    self.items = items
    self.pageToken = pageToken
  }

  init(_ page: ObjectListPage, below reference: StorageReference) {
    let root = reference.root()
    prefixes = page.prefixes.map { root.child($0.text) }
    items = page.items.map { root.child($0.name.text) }
    pageToken = page.nextPageToken
  }
}
