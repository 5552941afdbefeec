// Looking into folders.

import CloudStorage

/// The objects and folders next to an object.
func namesBeside(_ reference: StorageReference) async throws -> [String] {
  let folder = reference.parent() ?? reference
  let list = try await folder.listAll()
  return list.prefixes.map { $0.name + "/" } + list.items.map(\.name)
}

/// Every object in a folder, a page of a hundred at a time, until one is found.
func firstImage(in folder: StorageReference) async throws -> StorageReference? {
  for try await item in folder.pages(maxResults: 100).items where item.name.hasSuffix(".jpg") {
    return item
  }
  return nil
}

/// The pages by hand, as with the Apple SDK.
func countObjects(in folder: StorageReference) async throws -> Int {
  var page = try await folder.list(maxResults: 100)
  var count = page.items.count
  while let token = page.pageToken {
    page = try await folder.list(maxResults: 100, pageToken: token)
    count += page.items.count
  }
  return count
}
