// A folder's content page by page, for lists that are too long to hold or to wait for.

import StorageCore
import TransferModel

/// The pages of a list, each asked for when it is wanted.
///
/// ```swift
/// for try await page in reference.pages() {
///   for item in page.items { print(item.fullPath) }
/// }
/// ```
///
/// A folder may come on more than one page. A server that repeats a page token ends the sequence with an error.
public struct StorageListPages: AsyncSequence, Sendable {
  public typealias Element = StorageListResult

  let reference: StorageReference
  let maxResults: Int?

  public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

  /// Asks for one page after the other.
  public struct Iterator: AsyncIteratorProtocol {
    private let pages: StorageListPages
    private var cursor = ListCursor(expectsOrder: false)
    private var hasFailed = false

    init(pages: StorageListPages) { self.pages = pages }

    /// The next page; nil after the last one, and after an error.
    public mutating func next() async throws -> StorageListResult? {
      guard !cursor.isComplete, !hasFailed else { return nil }
      hasFailed = true
      let page = try await pages.reference.fetchPage(maxResults: pages.maxResults, token: cursor.token)
      do throws(ListCursor.Violation) {
        try cursor.accept(page)
      } catch {
        throw StorageError(error.failure, at: pages.reference.path)
      }
      hasFailed = false
      return StorageListResult(page, below: pages.reference)
    }
  }
}

extension StorageListPages {
  /// The objects of all pages, without the folders.
  public var items: StorageListItems { StorageListItems(pages: self) }
}

/// The objects of a list, one by one; pages are asked for as they are needed.
public struct StorageListItems: AsyncSequence, Sendable {
  public typealias Element = StorageReference

  let pages: StorageListPages

  public func makeAsyncIterator() -> Iterator { Iterator(pages: pages.makeAsyncIterator()) }

  /// Hands out one object after the other.
  public struct Iterator: AsyncIteratorProtocol {
    private var pages: StorageListPages.Iterator
    private var page: ArraySlice<StorageReference> = []

    init(pages: StorageListPages.Iterator) { self.pages = pages }

    /// The next object; nil after the last one, and after an error.
    public mutating func next() async throws -> StorageReference? {
      while page.isEmpty {
        guard let next = try await pages.next() else { return nil }
        page = next.items[...]
      }
      return page.removeFirst()
    }
  }
}
