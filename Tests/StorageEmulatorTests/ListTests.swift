import Glibc
import StorageEmulator
import Testing

/// The list fixtures of the service's own conformance tests, over both APIs.
struct ListTests {
  private func tree() throws -> StorageEmulator {
    try StorageEmulator.holding(
      "file01.txt", "parent/", "parent/file11.txt", "parent/child/file21.txt", "parent/child/file22.txt",
      "parent/child/grand/file31.txt", "parent/child/other/file32.txt")
  }

  @Test(arguments: [
    ("delimiter=/", ["file01.txt"], ["parent/"]),
    ("prefix=parent/&delimiter=/", ["parent/", "parent/file11.txt"], ["parent/child/"]),
    (
      "prefix=parent/child/&delimiter=/", ["parent/child/file21.txt", "parent/child/file22.txt"],
      ["parent/child/grand/", "parent/child/other/"]
    ),
    ("delimiter=/&includeTrailingDelimiter=true", ["file01.txt", "parent/"], ["parent/"]),
    ("prefix=nothing/&delimiter=/", [], []),
    ("prefix=parent/file", ["parent/file11.txt"], []),
  ])
  func `M17 M18 M19 M20 prefixes fold at the delimiter`(query: String, items: [String], prefixes: [String]) throws {
    let text = try tree().ask("/storage/v1/b/b/o?" + query + "&fields=items(name),prefixes").text
    #expect(values(of: "name", in: text) == items)
    #expect(texts(of: "prefixes", in: text) == prefixes)
  }

  @Test func `without a delimiter all names come in byte order`() throws {
    let text = try tree().ask("/storage/v1/b/b/o?fields=items(name)").text
    #expect(
      values(of: "name", in: text) == [
        "file01.txt", "parent/", "parent/child/file21.txt", "parent/child/file22.txt", "parent/child/grand/file31.txt",
        "parent/child/other/file32.txt", "parent/file11.txt",
      ])
  }

  @Test(arguments: [
    ("foo*bar", ["foobar"]), ("foo**bar", ["foo/bar", "foo/foobar", "foobar"]),
    ("**/foobar", ["foo/foobar", "foobar"]),
    ("*/ba[rz]", ["foo/bar", "foo/baz"]), ("*/ba[!a-y]", ["foo/baz"]),
    ("**/{foobar,baz}", ["foo/baz", "foo/foobar", "foobar"]), ("foo/{foo*,*baz}", ["foo/baz", "foo/foobar"]),
    ("foo?bar", []), ("fooba?", ["foobar"]),
  ])
  func `M21 matchGlob`(pattern: String, items: [String]) throws {
    let server = try StorageEmulator.holding("foo/bar", "foo/baz", "foo/foobar", "foobar")
    let escaped = pattern.replacing("{", with: "%7B").replacing("}", with: "%7D").replacing("?", with: "%3F")
    #expect(
      values(of: "name", in: try server.ask("/storage/v1/b/b/o?fields=items(name)&matchGlob=\(escaped)").text) == items)
  }

  @Test func `M22 offsets: the start is in, the end is out`() throws {
    let text = try StorageEmulator.holding("a", "b", "c", "d").ask(
      "/storage/v1/b/b/o?fields=items(name)&startOffset=b&endOffset=d"
    ).text
    #expect(values(of: "name", in: text) == ["b", "c"])
  }

  @Test(arguments: ["/storage/v1/b/b/o", "/v0/b/b/o"])
  func `M24 five names by two make three pages`(path: String) throws {
    let server = try StorageEmulator.holding("a", "b", "c", "d", "e")
    let client = try RawClient(port: server.port)
    var pages: [[String]] = []
    var token: String?
    repeat {
      let escaped = token.map { "&pageToken=" + $0.replacing("+", with: "%2B").replacing("=", with: "%3D") } ?? ""
      let text = client.exchange("GET", path + "?maxResults=2" + escaped).text
      pages.append(values(of: "name", in: text))
      token = values(of: "nextPageToken", in: text).first
    } while token != nil && pages.count < 5
    #expect(pages == [["a", "b"], ["c", "d"], ["e"]])
  }

  @Test func `prefixes count towards the page, and none comes twice`() throws {
    let server = try StorageEmulator.holding("a/1", "a/2", "b", "c/1", "d")
    let first = try server.ask("/storage/v1/b/b/o?delimiter=/&maxResults=2").text
    #expect(texts(of: "prefixes", in: first) == ["a/"])
    #expect(values(of: "name", in: first) == ["b"])
    let token = values(of: "nextPageToken", in: first)[0].replacing("=", with: "%3D").replacing("+", with: "%2B")
    let second = try server.ask("/storage/v1/b/b/o?delimiter=/&maxResults=2&pageToken=\(token)").text
    #expect(texts(of: "prefixes", in: second) == ["c/"])
    #expect(values(of: "name", in: second) == ["d"])
    #expect(values(of: "nextPageToken", in: second).isEmpty)
  }

  @Test func `M25 names sort by their bytes`() throws {
    let text = try StorageEmulator.holding("a", "B", "é", "z").ask("/storage/v1/b/b/o?fields=items(name)").text
    #expect(values(of: "name", in: text) == ["B", "a", "z", "é"])
  }

  @Test func `any text is a delimiter`() throws {
    let server = try StorageEmulator.holding("prefix", "prefix/1.txt", "prefix/2.txt", "prefix/dir/file.txt")
    let text = try server.ask("/storage/v1/b/b/o?prefix=p&delimiter=t&fields=items(name),prefixes").text
    #expect(values(of: "name", in: text) == ["prefix"])
    #expect(texts(of: "prefixes", in: text) == ["prefix/1.t", "prefix/2.t", "prefix/dir/file.t"])
  }

  @Test func `M15 Firebase leaves out names with empty parts, but for one leading slash`() throws {
    let server = try StorageEmulator.holding("foo/", "a//b", "/foo", "ok", "a/c")
    let text = try server.ask("/v0/b/b/o").text
    #expect(values(of: "name", in: text) == ["/foo", "a/c", "ok"])
    #expect(texts(of: "prefixes", in: try server.ask("/v0/b/b/o?delimiter=/&prefix=a/").text) == [])
    #expect(try server.ask("/v0/b/b/o?prefix=none/").text == #"{"prefixes":[],"items":[]}"#)
  }

  @Test func `a folder is listed below the prefix, without links and special files`() throws {
    let folder = try ScratchFolder()
    folder.write("b/z.txt", "z")
    folder.write("b/sub/a.txt", "a")
    folder.write("b/sub/deep/b.txt", "b")
    folder.write("outside.txt", "secret")
    symlink("../outside.txt", folder.path + "/b/link.txt")
    symlink("..", folder.path + "/b/up")
    let server = try StorageEmulator(EmulatorConfiguration(root: folder.path))
    server.objects.put("b", "sub/memory.txt", text: "m")
    #expect(
      values(of: "name", in: try server.ask("/storage/v1/b/b/o?fields=items(name)").text)
        == ["sub/a.txt", "sub/deep/b.txt", "sub/memory.txt", "z.txt"])
    let below = try server.ask("/storage/v1/b/b/o?prefix=sub/&delimiter=/").text
    #expect(values(of: "name", in: below) == ["sub/a.txt", "sub/memory.txt"])
    #expect(texts(of: "prefixes", in: below) == ["sub/deep/"])
  }

  @Test func `two million names cost nothing until they are asked for`() throws {
    let server = try StorageEmulator()
    server.objects.generate("huge", GeneratedNames(count: 2_000_000, prefix: "obj/", suffix: ".bin", perFolder: 1_000))
    let folders = try server.ask("/storage/v1/b/huge/o?delimiter=/&prefix=obj/&maxResults=1000").text
    #expect(texts(of: "prefixes", in: folders).count == 1_000)
    let last = try server.ask("/storage/v1/b/huge/o?prefix=obj/1999/99&maxResults=10&fields=items(name),nextPageToken")
      .text
    #expect(values(of: "name", in: last).first == "obj/1999/990.bin")
    #expect(values(of: "nextPageToken", in: last).isEmpty)
    #expect(try server.ask("/huge/obj/1999/999.bin").body.count == 16)
    #expect(try server.ask("/huge/obj/2000/000.bin").status == 404)
  }
}
