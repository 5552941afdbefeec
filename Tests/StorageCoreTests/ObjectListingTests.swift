// Lists: pages, paging guards, and the walk. Conformance group M and cases P61, P62.

import StorageCore
import Testing
import TransferModel

private func page(_ json: String, _ api: StorageAPI = .firebase) throws -> ObjectListPage {
  try ObjectListPage(parsing: Array(json.utf8), api: api)
}

private func names(_ page: ObjectListPage) -> [String] { page.items.map(\.name.text) }

/// A page with these names, written as a server would.
private func page(
  _ api: StorageAPI, items: [String] = [], prefixes: [String] = [], token: String? = nil
) throws -> ObjectListPage {
  var writer = JSONWriter()
  writer.beginObject()
  if !items.isEmpty {
    writer.key("items")
    writer.beginArray()
    for item in items {
      writer.beginObject()
      writer.member("name", item)
      writer.endObject()
    }
    writer.endArray()
  }
  if !prefixes.isEmpty { writer.member("prefixes", .array(prefixes.map { .string($0) })) }
  writer.member("nextPageToken", token)
  writer.endObject()
  return try ObjectListPage(parsing: writer.bytes, api: api)
}

@Suite("List pages")
struct ObjectListPageTests {
  @Test(
    "M01: an empty answer is an empty list",
    arguments: ["{}", #"{"items":[],"prefixes":null}"#, #"{"kind":"storage#objects"}"#])
  func empty(json: String) throws {
    let page = try page(json)
    #expect(page.items.isEmpty && page.prefixes.isEmpty && page.problems.isEmpty)
    #expect(page.nextPageToken == nil)
  }

  @Test("M02 M03 M04 M06: items, prefixes and the token")
  func content() throws {
    let page = try page(
      #"{"prefixes":["a/b/","a/c"],"items":[{"name":"a/x","bucket":"bucket","n":5}],"nextPageToken":"t=/+"}"#)
    #expect(names(page) == ["a/x"])
    #expect(page.prefixes.map(\.text) == ["a/b/", "a/c/"])
    #expect(page.nextPageToken == "t=/+")
    #expect(page.items[0].version == ObjectVersion())
  }

  @Test("a Google item has its version; numbers may come as numbers")
  func versions() throws {
    let page = try page(
      #"""
      {"items":[
        {"name":"a//b","size":"11","generation":"1700000000123456","md5Hash":"XrY7u+Ae7tCTyyK7j1rNww==","crc32c":"yZRlqg==",
         "contentEncoding":"gzip","updated":"2024-01-02T03:04:05.678Z"},
        {"name":"c/","size":0,"generation":7,"crc32c":"AAAA"}]}
      """#, .google)
    #expect(names(page) == ["a//b", "c/"])
    #expect(page.items[0].version.size == 11)
    #expect(page.items[0].version.generation == 1_700_000_000_123_456)
    #expect(page.items[0].version.digests.all.map(\.algorithm) == [.crc32c, .md5])
    #expect(page.items[0].version.contentEncoding == "gzip")
    #expect(page.items[0].version.lastModified?.rfc3339() == "2024-01-02T03:04:05.678Z")
    #expect(page.items[1].version == ObjectVersion(generation: 7, size: 0))
    #expect(page.warnings.count == 1)
  }

  @Test("M05 R16: a bad entry is reported and the others are taken")
  func badEntries() throws {
    let page = try page(
      #"{"items":[{"bucket":"b"},{"name":"\ud800"},{"name":5},17,{"name":""},{"name":"ok"}],"prefixes":["p/",3]}"#)
    #expect(names(page) == ["ok"])
    #expect(page.prefixes.map(\.text) == ["p/"])
    #expect(page.problems.count == 6)
  }

  @Test("M15 M16: names that Firebase's API would change are reported, Google's are names")
  func unaddressable() throws {
    let json = #"{"items":[{"name":"/foo"},{"name":"a//b"},{"name":"c/"},{"name":"d"}],"prefixes":["/x/","y//"]}"#
    #expect(names(try page(json)) == ["d"])
    #expect(try page(json).problems.compactMap(\.name?.text) == ["/foo", "a//b", "c/", "/x/", "y//"])
    #expect(names(try page(json, .google)) == ["/foo", "a//b", "c/", "d"])
    #expect(try page(json, .google).prefixes.map(\.text) == ["/x/", "y//"])
  }

  @Test(
    "what is no list is an error, never an empty list",
    arguments: [
      "", "[]", "null", "<html>login</html>", #"{"items":{}}"#, #"{"items":[{"name":"a"}"#, #"{"items":[}"#, #"{} x"#,
    ])
  func notAList(body: String) {
    let failure = #expect(throws: TransferFailure.self) { try page(body) }
    #expect(failure?.reason == .unexpectedContent)
  }

  @Test("P70: names keep their bytes")
  func bytes() throws {
    let page = try page("{\"items\":[{\"name\":\"e\\u0301\"},{\"name\":\"\u{E9}\"}]}")
    #expect(page.items.map { Array($0.name.text.utf8) } == [[0x65, 0xCC, 0x81], [0xC3, 0xA9]])
  }
}

@Suite("Paging")
struct ListCursorTests {
  /// Feeds pages whose tokens these are; gives the number of pages taken before the cursor refused.
  private func pagesTaken(_ tokens: some Sequence<String?>) throws -> Int? {
    var cursor = ListCursor(expectsOrder: true)
    for (index, token) in tokens.enumerated() {
      do {
        try cursor.accept(page(.google, token: token))
      } catch ListCursor.Violation.repeatedToken {
        return index
      }
      if cursor.isComplete { return nil }
    }
    return nil
  }

  @Test("M13 P61: the same token for ever ends at its first repeat")
  func sameToken() throws {
    #expect(try pagesTaken(["t", "t"]) == 1)
    #expect(try pagesTaken(["a", "b", "c", "c"]) == 3)
  }

  @Test("P61: cycles of any length and any approach end soon", arguments: 1..<40)
  func cycles(length: Int) throws {
    for approach in [0, 1, 5, 17] {
      let tokens = (0..<approach).map { "approach-\($0)" }
      let cycle = (0..<10_000).lazy.map { "cycle-\($0 % length)" }
      let taken = try #require(try pagesTaken(tokens.map { $0 as String? } + cycle.prefix(500).map { $0 as String? }))
      #expect(taken <= 3 * (approach + length) + 3)
    }
  }

  @Test("ten thousand different tokens are no cycle")
  func longList() throws {
    #expect(try pagesTaken((0..<10_000).map { "\($0)" as String? } + [nil]) == nil)
  }

  @Test("M11 M24 P62: empty pages with a token go on; the last page has none")
  func emptyPages() throws {
    var cursor = ListCursor(expectsOrder: true)
    #expect(cursor.token == nil && !cursor.isComplete)
    try cursor.accept(page(.google, items: ["a", "b"], token: "1"))
    #expect(cursor.token == "1")
    try cursor.accept(page(.google, token: "2"))
    #expect(cursor.token == "2" && !cursor.isComplete)
    try cursor.accept(page(.google, items: ["c"]))
    #expect(cursor.token == nil && cursor.isComplete)
  }

  @Test("M25 P61: names must rise byte by byte, also across pages")
  func order() throws {
    var cursor = ListCursor(expectsOrder: true)
    try cursor.accept(page(.google, items: ["B", "a", "z", "é"], token: "1"))
    #expect(throws: ListCursor.Violation.repeatedName(ObjectName("é"))) {
      try cursor.accept(page(.google, items: ["é"], token: "2"))
    }
    var other = ListCursor(expectsOrder: true)
    #expect(throws: ListCursor.Violation.unordered(ObjectName("B"))) {
      try other.accept(page(.google, items: ["a", "B"]))
    }
    var unordered = ListCursor(expectsOrder: false)
    try unordered.accept(page(.google, items: ["a", "B"]))
  }
}

@Suite("Walking a tree of names")
struct ListWalkTests {
  private static let tree = [
    "file01.txt", "parent/file11.txt", "parent/child/file21.txt", "parent/child/file22.txt",
    "parent/child/grand/file31.txt", "parent/child/other/file32.txt", "parent.txt", "parent0", "é/x",
  ]

  /// Answers list requests from `tree` as the service would, `pageSize` entries at a time.
  private func answer(_ request: HTTPRequest, _ api: StorageAPI, pageSize: Int) throws -> ObjectListPage {
    var parameters: [String: String] = [:]
    for pair in (request.url.query ?? "").split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      parameters[String(parts[0])] = PercentEncoding.decode(parts[1])
    }
    let prefix = parameters["prefix"] ?? ""
    var entries: [ObjectName] = []
    for name in Self.tree.map({ ObjectName($0) }).sorted() where name.text.hasPrefix(prefix) {
      let rest = name.text.dropFirst(prefix.count)
      guard parameters["delimiter"] == "/", let slash = rest.firstIndex(of: "/") else {
        entries.append(name)
        continue
      }
      let folder = ObjectName(prefix + rest[...slash])
      if entries.last != folder { entries.append(folder) }
    }
    let start = parameters["pageToken"].flatMap { Int($0) } ?? 0
    let part = entries.dropFirst(start).prefix(pageSize).map(\.text)
    let end = start + part.count
    return try page(
      api, items: part.filter { !$0.hasSuffix("/") }, prefixes: part.filter { $0.hasSuffix("/") },
      token: end < entries.count ? "\(end)" : nil)
  }

  @Test(
    "M09 M17–M19: both APIs give all names in byte order, whatever the pages",
    arguments: StorageAPI.allCases, [1, 2, 3, 1_000])
  func everything(api: StorageAPI, pageSize: Int) throws {
    for prefix in ["", "parent/", "parent/child", "parent/child/grand/", "missing/"] {
      var walk = ListWalk(ObjectService(api), bucket: "b", prefix: prefix, pageSize: pageSize)
      var delivered: [ObjectName] = []
      steps: while true {
        switch walk.next() {
        case .fetch(let request): try walk.take(answer(request, api, pageSize: pageSize))
        case .deliver(let items): delivered += items.map(\.name)
        case .finished: break steps
        }
      }
      let wanted = prefix.isEmpty || prefix.hasSuffix("/") ? prefix : prefix + "/"
      #expect(delivered == Self.tree.filter { $0.hasPrefix(wanted) }.map { ObjectName($0) }.sorted())
      #expect(walk.problems.isEmpty)
    }
  }

  @Test("M12: an emulator that repeats all folders on each page sends us into each once")
  func repeatedPrefixes() throws {
    var walk = ListWalk(ObjectService(.firebase), bucket: "b")
    _ = walk.next()
    try walk.take(page(.firebase, items: ["a"], prefixes: ["p/", "q/"], token: "1"))
    _ = walk.next()
    try walk.take(page(.firebase, items: ["z"], prefixes: ["p/", "q/"]))
    var fetched: [String] = []
    steps: while true {
      switch walk.next() {
      case .fetch(let request):
        fetched.append(request.url.query ?? "")
        try walk.take(page(.firebase))
      case .deliver: break
      case .finished: break steps
      }
    }
    #expect(fetched.map { $0.contains("prefix=p%2F") } == [true, false])
    #expect(fetched.count == 2)
  }

  @Test("a folder that lists itself, or names beside the prefix, cannot lead the walk astray")
  func hostileServer() throws {
    var walk = ListWalk(ObjectService(.firebase), bucket: "b", prefix: "a/")
    _ = walk.next()
    let long = "a/" + String(repeating: "x", count: 1_100) + "/"
    try walk.take(page(.firebase, items: ["a/ok", "b/evil"], prefixes: ["a/", "c/", long]))
    guard case .deliver(let items) = walk.next() else {
      Issue.record("nothing was delivered")
      return
    }
    #expect(items.map(\.name.text) == ["a/ok"])
    #expect(walk.problems.count == 4)
    guard case .finished = walk.next() else {
      Issue.record("the walk went on")
      return
    }
  }

  @Test("one name twice in a folder is a violation")
  func repeatedNames() throws {
    var walk = ListWalk(ObjectService(.firebase), bucket: "b")
    _ = walk.next()
    #expect(throws: ListCursor.Violation.repeatedName(ObjectName("a"))) {
      try walk.take(page(.firebase, items: ["a", "b", "a"]))
    }
  }
}
