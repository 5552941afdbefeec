// The walk over recorded rows beside a listing.

import MirrorPlan
import TestSupport
import Testing
import TransferModel

@testable import MirrorEngine

@Suite("Rows of a tree")
struct TreeRowsTests {
  static func store(_ paths: [(String, String?)], in root: TemporaryDirectory) throws -> StateStore {
    let store = try StateStore.open(root)
    for (path, tree) in paths {
      var row = try StateRow.sample(path)
      row.tree = tree
      try store.record(row)
    }
    try store.flush()
    return store
  }

  @Test("rows meet their names, those between are passed, those of others are not", arguments: [true, false])
  func merge(visitsAll: Bool) throws {
    let root = try TemporaryDirectory(on: .memory)
    let store = try Self.store(
      [
        ("l/z", "t"), ("m", "t"), ("m-x", "t"), ("m/a", "t"), ("m/b", nil), ("m/c", "u"), ("m/d", "t"), ("m/e/f", "t"),
        ("m/z", "t"), ("n", "t"),
      ], in: root)
    var rows = TreeRows(store, key: "t", destination: try RelativePath("m"), visitsAll: visitsAll)
    var passed: [StateRow] = []
    #expect(try rows.row(at: "m/a", passing: &passed)?.destination.text == "m/a")
    #expect(try rows.row(at: "m/b", passing: &passed)?.tree == nil)
    #expect(try rows.row(at: "m/c-", passing: &passed) == nil)
    #expect(try rows.row(at: "m/e/", passing: &passed) == nil)
    #expect(try rows.row(at: "m/e/f", passing: &passed) != nil)
    #expect(try rows.row(at: "m/e/g", passing: &passed) == nil)
    #expect(passed.map(\.destination.text) == (visitsAll ? ["m/d"] : []))
    // A name that does not rise is found all the same.
    #expect(try rows.row(at: "m/a", passing: &passed)?.destination.text == "m/a")
    #expect(try rows.rest()?.destination.text == "m/z")
    #expect(try rows.rest() == nil)
    #expect(rows.owned == (visitsAll ? 4 : 3))
  }

  @Test("leaps and pages find every row", arguments: [1, 7, 100, 1_500])
  func leaps(step: Int) throws {
    let root = try TemporaryDirectory(on: .memory)
    let names = (0..<3_000).map { "m/" + String($0 + 10_000) }
    let store = try Self.store(names.map { ($0, "t") }, in: root)
    var rows = TreeRows(store, key: "t", destination: try RelativePath("m"), visitsAll: false)
    var passed: [StateRow] = []
    for index in stride(from: 0, to: names.count, by: step) {
      #expect(try rows.row(at: names[index] + "-", passing: &passed) == nil)
      guard index + 1 < names.count else { break }
      #expect(try rows.row(at: names[index + 1], passing: &passed)?.destination.text == names[index + 1])
    }
    #expect(passed.isEmpty)
  }

  @Test("what is gone is noted by tree, counted, given out both ways, and forgotten")
  func gone() throws {
    let root = try TemporaryDirectory(on: .memory)
    let store = try StateStore.open(root)
    let files = try ["a", "b/c", "b/é", "b/e\u{301}"].map { GoneFile(destination: try RelativePath($0), floor: 1) }
    try store.noteGone(files, tree: 0)
    try store.noteGone([files[0]], tree: 1)
    #expect(try store.goneCount(tree: 0) == 4)
    let order = ["a", "b/c", "b/e\u{301}", "b/é"]
    #expect(
      try store.gone(tree: 0, after: nil, limit: 9).map { Array($0.destination.text.utf8) }
        == order.map { Array($0.utf8) })
    #expect(try store.gone(tree: 0, after: RelativePath("b/c"), limit: 1).map(\.destination.text) == ["b/e\u{301}"])
    #expect(
      try store.gone(tree: 0, after: nil, backwards: true, limit: 2).map { $0.destination.text.utf8.count } == [4, 5])
    #expect(
      try store.gone(tree: 0, after: RelativePath("b/c"), backwards: true, limit: 9).map(\.destination.text) == ["a"])
    try store.forgetGone(tree: 0)
    #expect(try store.goneCount(tree: 0) == 0 && store.goneCount(tree: 1) == 1)
  }
}
