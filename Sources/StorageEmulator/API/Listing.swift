// From sorted names to one page of a list answer: prefix, delimiter, offsets, glob, page size and page token.

import TransferModel

/// What a list request asks for.
struct ListQuery {
  var prefix = ""
  /// Empty = no folding.
  var delimiter = ""
  /// Items and prefixes together, 1...1000.
  var maxResults = 1000
  var startOffset = ""
  /// Empty = no bound.
  var endOffset = ""
  var includeTrailingDelimiter = false
  var glob: MatchGlob?
  /// Firebase's API leaves out names with an empty part, one leading slash excepted.
  var leavesOutEmptyParts = false
  var token: PageToken?
}

/// Where the next page starts. Its text is base64, so it holds `+`, `/` and `=`, which clients must escape.
struct PageToken: Equatable {
  /// The page it leads to, from 2.
  var page: Int
  /// The page starts at the first name that is not below this.
  var start: ObjectName

  var text: String { Base64.encode(Array("\(page)>\(start.text)".utf8)) }

  init(page: Int, start: ObjectName) {
    self.page = page
    self.start = start
  }

  init?(parsing text: String) {
    guard let bytes = Base64.decode(text), let plain = String(validating: bytes, as: UTF8.self),
      let mark = plain.utf8.firstIndex(of: UInt8(ascii: ">")), let page = Int(plain[..<mark])
    else { return nil }
    self.page = page
    start = ObjectName(String(plain[plain.utf8.index(after: mark)...]))
  }
}

/// One page of a listing.
struct ListPage {
  var items: [ObjectName] = []
  var prefixes: [String] = []
  var next: PageToken?
}

enum Listing {
  /// Walks the columns from where the page starts. Time follows the names that are looked at, not those in the bucket: a
  /// folded prefix is stepped over by search.
  static func page(of columns: [any NameColumn], _ query: ListQuery) -> ListPage {
    var page = ListPage()
    let lower = [query.prefix, query.startOffset, query.token?.start.text ?? ""].map { ObjectName($0) }
      .reduce(ObjectName("")) { $0.precedes($1) ? $1 : $0 }
    var cursors = columns.map { $0.lowerBound(lower) }
    while let name = next(columns, cursors) {
      guard starts(name.text, with: query.prefix) else { break }
      if !query.endOffset.isEmpty, !name.precedes(ObjectName(query.endOffset)) { break }
      let folded = fold(name.text, query)
      let shown = isShown(name.text, folded, query)
      if shown, page.items.count + page.prefixes.count >= query.maxResults {
        page.next = PageToken(page: (query.token?.page ?? 1) + 1, start: name)
        break
      }
      if let folded {
        if shown { page.prefixes.append(folded) }
        if query.includeTrailingDelimiter, name.text.utf8.elementsEqual(folded.utf8) { page.items.append(name) }
        // Everything below the prefix sorts before the prefix followed by the highest byte that UTF-8 has.
        let end = ObjectName(folded + "\u{10FFFF}")
        for index in cursors.indices { cursors[index] = max(cursors[index], columns[index].lowerBound(end)) }
      } else {
        if shown { page.items.append(name) }
        step(past: name, columns, &cursors)
      }
    }
    return page
  }

  private static func next(_ columns: [any NameColumn], _ cursors: [Int]) -> ObjectName? {
    var least: ObjectName?
    for (column, cursor) in zip(columns, cursors) where cursor < column.count {
      let name = column.name(at: cursor)
      if least.map({ name.precedes($0) }) ?? true { least = name }
    }
    return least
  }

  private static func step(past name: ObjectName, _ columns: [any NameColumn], _ cursors: inout [Int]) {
    for index in cursors.indices where cursors[index] < columns[index].count {
      if columns[index].name(at: cursors[index]) == name { cursors[index] += 1 }
    }
  }

  /// The prefix that stands for the name; nil when the name is listed itself.
  private static func fold(_ name: String, _ query: ListQuery) -> String? {
    guard !query.delimiter.isEmpty else { return nil }
    let name = Array(name.utf8)
    let delimiter = Array(query.delimiter.utf8)
    var index = query.prefix.utf8.count
    while index + delimiter.count <= name.count {
      if name[index..<index + delimiter.count].elementsEqual(delimiter) {
        return String(decoding: name[..<(index + delimiter.count)], as: UTF8.self)
      }
      index += 1
    }
    return nil
  }

  private static func isShown(_ name: String, _ folded: String?, _ query: ListQuery) -> Bool {
    if let glob = query.glob, !glob.matches(name) { return false }
    guard query.leavesOutEmptyParts else { return true }
    let shown = folded.map { $0.hasSuffix(query.delimiter) ? String($0.dropLast(query.delimiter.count)) : $0 } ?? name
    let parts = shown.utf8.split(separator: UInt8(ascii: "/"), maxSplits: .max, omittingEmptySubsequences: false)
    return !parts.dropFirst(parts.count > 1 ? 1 : 0).contains { $0.isEmpty } && !shown.isEmpty
  }

  private static func starts(_ name: String, with prefix: String) -> Bool { name.utf8.starts(with: prefix.utf8) }
}
