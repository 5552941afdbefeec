// Lists everything below a prefix, in byte order, through either API. Pure: it says what to ask for and takes the answers.

package import TransferModel

/// The walk over one tree of names.
///
/// At Google's API it is one long list. Firebase answers a folder at a time: each folder's pages are gathered, sorted
/// together with its subfolders, and walked depth first, so that names come out in the same order; memory holds the folders
/// on the way down, not the whole tree.
///
/// ```swift
/// while true {
///   switch walk.next() {
///   case .fetch(let request): try walk.take(ObjectListPage(parsing: send(request), api: service.api))
///   case .deliver(let items): …
///   case .finished: return
///   }
/// }
/// ```
package struct ListWalk: Sendable {
  package enum Step: Sendable {
    /// Send this, then call `take` with the answer.
    case fetch(HTTPRequest)
    /// Names that follow all delivered so far, in byte order.
    case deliver([ObjectListPage.Item])
    case finished
  }

  /// Entries that could not be taken so far; when there are any, the list is not complete.
  package private(set) var problems: [ObjectListPage.Problem] = []
  /// Oddities that cost nothing but a comparison.
  package private(set) var warnings: [String] = []

  private enum Pending {
    case items([ObjectListPage.Item])
    case folder(String)
  }

  /// The folder whose pages are being fetched.
  private struct Folder {
    let prefix: String
    var cursor: ListCursor
    /// Gathered until the folder is complete; Firebase only.
    var items: [ObjectListPage.Item] = []
    /// A set, because the emulator repeats all subfolders on each page.
    var subfolders: Set<ObjectName> = []
  }

  private let service: ObjectService
  private let bucket: String
  private let pageSize: Int
  /// What comes after the current folder; last in, first out.
  private var pending: [Pending]
  private var current: Folder?
  private var ready: [ObjectListPage.Item] = []

  /// `prefix` is empty or ends in `/`; without it the slash is added, for no one means half a folder's name.
  package init(
    _ service: ObjectService, bucket: String, prefix: String = "", pageSize: Int = StorageAPI.largestPage
  ) {
    self.service = service
    self.bucket = bucket
    self.pageSize = pageSize
    pending = [.folder(prefix.isEmpty || prefix.utf8.last == UInt8(ascii: "/") ? prefix : prefix + "/")]
  }

  package mutating func next() -> Step {
    if !ready.isEmpty {
      defer { ready = [] }
      return .deliver(ready)
    }
    if let current { return .fetch(request(for: current)) }
    switch pending.popLast() {
    case nil: return .finished
    case .items(let items): return .deliver(items)
    case .folder(let prefix):
      let folder = Folder(prefix: prefix, cursor: ListCursor(expectsOrder: service.api == .google))
      current = folder
      return .fetch(request(for: folder))
    }
  }

  /// Takes the answer to the request of the last `.fetch`. Throws when the paging cannot be trusted; the walk is over then.
  package mutating func take(_ page: ObjectListPage) throws(ListCursor.Violation) {
    guard var folder = current else { return }
    current = nil
    try folder.cursor.accept(page)
    problems += page.problems
    warnings += page.warnings
    let items = page.items.filter { isBelow(folder.prefix, $0.name) }
    switch service.api {
    case .google:
      ready = items
      if !folder.cursor.isComplete { current = folder }
    case .firebase:
      folder.items += items
      folder.subfolders.formUnion(page.prefixes.filter { isSubfolder(of: folder.prefix, $0) })
      if folder.cursor.isComplete { try schedule(folder) } else { current = folder }
    }
  }
}

extension ListWalk {
  /// The longest name that the services take, in bytes. It also ends the descent into a server that invents folders.
  private static let longestName = 1_024

  private func request(for folder: Folder) -> HTTPRequest {
    service.list(
      bucket: bucket, prefix: folder.prefix, depth: service.api == .google ? .everything : .folder,
      pageToken: folder.cursor.token, maxResults: pageSize)
  }

  private mutating func isBelow(_ prefix: String, _ name: ObjectName) -> Bool {
    guard !name.text.utf8.starts(with: prefix.utf8) else { return true }
    problems.append(
      ObjectListPage.Problem("the server lists a name that does not begin with the prefix \(prefix)", name: name))
    return false
  }

  private mutating func isSubfolder(of prefix: String, _ name: ObjectName) -> Bool {
    guard isBelow(prefix, name) else { return false }
    let length = name.text.utf8.count
    guard length > prefix.utf8.count, length <= Self.longestName else {
      problems.append(ObjectListPage.Problem("the server lists a folder that cannot be", name: name))
      return false
    }
    return true
  }

  /// Puts the folder's objects and subfolders before all that is pending, in byte order.
  private mutating func schedule(_ folder: Folder) throws(ListCursor.Violation) {
    let items = folder.items.sorted { $0.name < $1.name }
    for (item, following) in zip(items, items.dropFirst()) where item.name == following.name {
      throw .repeatedName(item.name)
    }
    var steps: [Pending] = []
    var rest = items[...]
    for subfolder in folder.subfolders.sorted() {
      let before = rest.prefix { $0.name < subfolder }
      if !before.isEmpty { steps.append(.items(Array(before))) }
      rest = rest[before.endIndex...]
      steps.append(.folder(subfolder.text))
    }
    if !rest.isEmpty { steps.append(.items(Array(rest))) }
    pending += steps.reversed()
  }
}
