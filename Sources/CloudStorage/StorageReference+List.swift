// Looking into a folder.

import StorageCore
import TransferModel

extension StorageReference {
  /// Everything directly below this reference, gathered from as many pages as there are; each folder once.
  ///
  /// A folder that does not exist is empty. The pages are not of one moment: what changes meanwhile may be missed or seen.
  /// Throws a ``StorageError``; what was gathered until then is not given.
  public func listAll() async throws -> StorageListResult {
    var items: [StorageReference] = []
    var prefixes: [StorageReference] = []
    var seen: Set<StorageReference> = []
    for try await page in pages() {
      items += page.items
      prefixes += page.prefixes.filter { seen.insert($0).inserted }
    }
    return StorageListResult(prefixes: prefixes, items: items)
  }

  /// The first page of what is directly below this reference.
  ///
  /// Throws ``StorageError/invalidArgument(message:)`` unless `maxResults` is from 1 to 1000; objects and folders count
  /// together, and a page may hold fewer although more follow.
  public func list(maxResults: Int64) async throws -> StorageListResult {
    try await listPage(maxResults: maxResults, pageToken: nil)
  }

  /// The page that a ``StorageListResult/pageToken`` of the same list stands for.
  public func list(maxResults: Int64, pageToken: String) async throws -> StorageListResult {
    try await listPage(maxResults: maxResults, pageToken: pageToken)
  }

  /// The pages of what is directly below this reference, one by one.
  ///
  /// - Parameter maxResults: the most entries of a page, from 1 to 1000; nil leaves it to the service. The first page throws
  ///   ``StorageError/invalidArgument(message:)`` for anything else.
  public func pages(maxResults: Int64? = nil) -> StorageListPages {
    StorageListPages(reference: self, maxResults: maxResults.map { Int($0) })
  }

  private func listPage(maxResults: Int64, pageToken: String?) async throws -> StorageListResult {
    let page = try await fetchPage(maxResults: Int(maxResults), token: pageToken)
    return StorageListResult(page, below: self)
  }

  /// One page as it came. Names that Firebase's API cannot address are left out, with a warning for each.
  func fetchPage(maxResults: Int?, token: String?) async throws(StorageError) -> ObjectListPage {
    if let maxResults, !(1...StorageAPI.largestPage).contains(maxResults) {
      throw .invalidArgument(
        message: "Argument 'maxResults' must be between 1 and \(StorageAPI.largestPage) inclusive.")
    }
    let operation = try storage.operation(.metadata, at: path)
    let prefix = fullPath.isEmpty ? "" : fullPath + "/"
    let request = operation.service.list(
      bucket: bucket, prefix: prefix, pageToken: token, maxResults: maxResults)
    let bytes = try await operation.fetch(request)
    let page: ObjectListPage
    do {
      page = try ObjectListPage(parsing: bytes, api: .firebase)
    } catch {
      throw operation.error(error)
    }
    for problem in page.problems {
      storage.options.onWarning("\(self): \(problem.message)\(problem.name.map { ": \($0)" } ?? "")")
    }
    return page
  }
}
