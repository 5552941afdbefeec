// Object names that are hostile, strange or in each other's way.

import Foundation
import Glibc
import StorageEmulator
import TestSupport
import Testing

@Suite(.serialized) struct NameTests {
  private func tree(_ names: [String], sizes: [String: Int] = [:]) throws -> (StorageEmulator, Workplace) {
    let server = try StorageEmulator.serving()
    for name in names { server.put(name, Data(name.utf8.prefix(sizes[name] ?? .max))) }
    return (server, try Workplace(server.port, "trees: [{ref: \"gs://b/\", to: tree/}]"))
  }

  @Test(arguments: ["gcs", "firebase"])
  func `mirror apply: P38 P39 no name leaves the root, and none is made into another`(api: String) async throws {
    let bad = ["../escape", "data/../../../escape", "/abs", "a/./b", "a/../b", "..", "x//y", ".mirror/state.db"]
    let good = ["good", "data/good", "a\u{FF0E}\u{FF0E}", "%2e%2e", "c%2Fd", "...", ".hidden"]
    let server = try StorageEmulator.serving()
    defer { server.stop() }
    for name in bad + good { server.put(name, Data(name.utf8)) }
    let place = try Workplace(server.port, api: api, "trees: [{ref: \"gs://b/\", to: .}]")
    let run = try await place.apply()
    #expect(run.status == 3, "\(run.said)")
    // Firebase's lists go folder by folder, and its service folds no names either: what it lists is what is refused.
    #expect(
      Set(run.failures.values).isSubset(of: ["unsafe_name", "empty_name_part", "reserved_name"]), "\(run.failures)")
    if api == "gcs" {
      #expect(Set(run.failures.keys) == Set(bad))
      #expect(run.failures["x//y"] == "empty_name_part" && run.failures["/abs"] == "empty_name_part")
      #expect(run.failures[".mirror/state.db"] == "reserved_name")
    }
    #expect(try place.names() == good.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    for name in good { #expect(place.text(name) == name) }
    let beside = try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
    #expect(Set(beside) == ["mirror.yaml", "out", "report.json"])
  }

  @Test func `mirror apply: every kind of bad name is a row with a reason of its own, and the others arrive`()
    async throws
  {
    let long = String(repeating: "n", count: 256)
    // In the order of their bytes, as a server lists them.
    let list = [
      "{\"name\":\"../up\"}", "{\"name\":\".mirror/x\"}", "{\"name\":\"a//b\"}",
      "{\"name\":\"bad\u{1}\",\"size\":\"1\"}", "{\"name\":\"d/\",\"size\":\"3\"}",
      "{\"name\":\"f\",\"size\":\"1\"}", "{\"name\":\"f/g\",\"size\":\"1\"}", "{\"name\":\"\(long)\"}",
      "{\"name\":\"ok\",\"size\":\"1\"}",
    ].joined(separator: ",")
    // The byte after `bad` becomes one that is in no UTF-8.
    let body = Array("{\"items\":[\(list)]}".utf8).map { $0 == 1 ? 0xFF : $0 }
    let server = try RawServer { connection in
      while let request = connection.readRequest() {
        let answer = request.target.contains("/o?") ? body : [0x78]
        connection.write("HTTP/1.1 200 OK\r\nx-goog-generation: 1\r\nContent-Length: \(answer.count)\r\n\r\n")
        connection.write(answer)
      }
    }
    defer { server.stop() }
    let place = try Workplace(server.port, "trees: [{ref: \"gs://b/\", to: tree/}]")
    let run = try await place.apply()
    #expect(run.status == 3, "\(run.said)")
    #expect(
      run.report.items.filter { $0.error != nil }.map(\.reason).sorted() == [
        "empty_name_part", "marker_with_content", "name_conflict", "name_not_utf8", "name_too_long", "reserved_name",
        "unsafe_name",
      ])
    #expect(try place.names() == ["tree/f", "tree/ok"])
  }

  @Test func `mirror apply: P42 a symbolic link in the tree is never written through`() async throws {
    let server = try StorageEmulator.serving(["x": Data("new".utf8)])
    defer { server.stop() }
    let place = try Workplace(server.port, "items: [{ref: x, to: sub/x}, {ref: x, to: f}]")
    try place.folder.write("outside", to: "elsewhere/x")
    try place.folder.write("outside", to: "victim")
    try place.folder.makeFolder("out")
    symlink("../elsewhere", place.path("sub"))
    symlink("../victim", place.path("f"))
    let run = try await place.apply()
    #expect(run.failures == ["sub/x": "symlink_refused"], "\(run.said)")
    #expect(run.report.exit.reasons == [.init(code: 3, reason: "symlink_refused", count: 1)])
    #expect(run.status == 3, "it fails for good until someone decides what the link is for")
    #expect(try place.folder.readText("elsewhere/x") == "outside")
    #expect(try place.folder.readText("victim") == "outside")
    #expect(try place.folder.entry("out/f").kind == .file(Array("new".utf8)), "the link gave way to the file")
  }

  @Test func `mirror apply: P67 an object below another's name is a conflict, and the rest goes on`() async throws {
    let (server, place) = try tree(["foo", "foo-bar", "foo/bar", "foo/baz", "other"])
    defer { server.stop() }
    let run = try await place.apply()
    #expect(run.status == 3, "\(run.said)")
    #expect(run.failures == ["foo/bar": "name_conflict", "foo/baz": "name_conflict"])
    #expect(try place.names() == ["tree/foo", "tree/foo-bar", "tree/other"])
  }

  @Test func `mirror apply: P67 what stands in the way is left alone`() async throws {
    let (server, place) = try tree(["folder", "file/below", "other"])
    defer { server.stop() }
    try place.folder.write("mine", to: "out/tree/folder/mine")
    try place.folder.write("mine", to: "out/tree/file")
    let run = try await place.apply()
    #expect(run.status == 3, "\(run.said)")
    #expect(run.failures == ["tree/folder": "is_a_directory", "tree/file/below": "not_a_directory"])
    #expect(
      run.report.exit.reasons == [
        .init(code: 3, reason: "not_a_directory", count: 1), .init(code: 3, reason: "is_a_directory", count: 1),
      ])
    #expect(place.text("tree/folder/mine") == "mine")
    #expect(place.text("tree/file") == "mine")
    #expect(place.text("tree/other") == "other")
  }

  @Test func `mirror apply: P68 empty folder markers are folders, others are reported`() async throws {
    let (server, place) = try tree(["d/", "d/x", "empty/"], sizes: ["d/": 0, "empty/": 0])
    defer { server.stop() }
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(try place.tree().map(\.path) == ["out/tree", "out/tree/d", "out/tree/d/x", "out/tree/empty"])
    server.put("e/", Data("abc".utf8))
    let second = try await place.apply()
    #expect(second.status == 3, "\(second.said)")
    #expect(second.failures == ["e/": "marker_with_content"])
  }

  @Test func `mirror apply -v: P71 names with control characters are kept, and shown escaped`() async throws {
    let names = [
      "tab\t", "escape\u{1B}[31m", "back\\slash", " lead", "trail ", "bell\u{7}", "quote\"", "e\u{301}", "\u{E9}",
    ]
    let (server, place) = try tree(names)
    defer { server.stop() }
    let plan = try await place.mirror("plan", "mirror.yaml")
    let run = try await place.apply("-v")
    #expect(run.status == 0, "\(run.said)")
    #expect(
      try place.names().map { Array($0.utf8) }
        == names.map { "tree/" + $0 }.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
    for text in [run.said, plan.outputText] {
      #expect(!text.unicodeScalars.contains { ($0.value < 0x20 && $0 != "\n") || $0.value == 0x7F })
    }
    let json = try await place.mirror("plan", "--json", "mirror.yaml")
    _ = try JSONSerialization.jsonObject(with: Data(json.standardOutput))
  }

  @Test func `mirror apply: P72 a name that is too long is refused before any byte is asked for`() async throws {
    let long = String(repeating: "a", count: 300)
    let longest = String(repeating: "b", count: 250)
    let (server, place) = try tree([long, longest])
    defer { server.stop() }
    let run = try await place.apply()
    #expect(run.status == 3, "\(run.said)")
    #expect(run.failures == [long: "name_too_long"])
    #expect(try place.names() == ["tree/" + longest])
    #expect(server.requests.count { $0.contains("alt=media") } == 1)
  }

  @Test(arguments: ["gcs", "firebase"])
  func `mirror apply: P82 a gs name is literal and a link is decoded once`(api: String) async throws {
    let names = ["a b.txt", "a+b.txt", "100%.txt", "%41.txt", "\u{FC}.txt", "what?.txt", "no#1.txt"]
    let server = try StorageEmulator.serving(Dictionary(uniqueKeysWithValues: names.map { ($0, Data($0.utf8)) }))
    defer { server.stop() }
    let items = names.enumerated().map { index, name in
      let link = "https://firebasestorage.googleapis.com/v0/b/b/o/\(FakeGCSServer.escape(name))?alt=media"
      return "  - {ref: \"gs://b/\(name)\", to: g\(index)}\n  - {ref: \"\(link)\", to: l\(index)}"
    }
    let place = try Workplace(server.port, api: api, "items:\n" + items.joined(separator: "\n"))
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    for (index, name) in names.enumerated() {
      #expect(place.text("g\(index)") == name)
      #expect(place.text("l\(index)") == name)
    }
  }

  @Test func `mirror apply: P83 a link with plain slashes is understood, and sent with escaped ones`() async throws {
    let server = try StorageEmulator.serving(["dir/file": Data("here".utf8)])
    defer { server.stop() }
    let place = try Workplace(
      server.port, api: "firebase",
      "items: [{ref: \"https://firebasestorage.googleapis.com/v0/b/b/o/dir/file\", to: file}]")
    let run = try await place.apply()
    #expect(run.status == 0, "\(run.said)")
    #expect(place.text("file") == "here")
    #expect(server.requests == ["GET /v0/b/b/o/dir%2Ffile?alt=media"])
  }
}
