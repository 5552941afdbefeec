// Destinations that cannot both be, and those that only look like it.

import ManifestYAML
import MirrorPlan
import Testing

@Suite struct OverlapTests {
  private func lines(_ destinations: [String], foldsCase: Bool = false) -> [String] {
    let items = destinations.enumerated().map { "  - {ref: gs://b/o\($0), to: \"\($1)\"}\n" }.joined()
    return load(withItems(items), foldsCase: foldsCase).lines
  }

  @Test("P53: one destination in two spellings", arguments: ["a/b", "./a/b", "a/./b", "././a/b"])
  func same(spelling: String) {
    #expect(lines(["a/b", spelling]) == ["5:26 the destination `a/b` is taken already, at line 4"])
  }

  @Test func `a folder that keeps the object's name meets the whole destination`() {
    #expect(lines(["d/", "d/o0"]) == ["5:26 the destination `d/o0` is taken already, at line 4"])
    #expect(lines(["d//", "./d/o0"]).count == 1)
  }

  @Test func `R08: a file cannot be another's folder, whichever comes first`() {
    let message = "the destination `a` is a file here, and a folder of the destination at line"
    #expect(lines(["a", "a/b"]) == ["4:26 \(message) 5"])
    #expect(lines(["a/b/c", "a"]) == ["5:26 \(message) 4"])
    #expect(lines(["a.b", "a/b", "a-b", "ab"]) == [])
  }

  @Test func `case matters only where the file system folds it`() {
    #expect(lines(["a/B", "A/b"]) == [])
    #expect(lines(["a/B", "A/b"], foldsCase: true).count == 1)
    #expect(lines(["Ä", "ä"], foldsCase: true).count == 1)
    #expect(lines(["A", "a/b"], foldsCase: true).count == 1)
  }

  @Test func `R12: Unicode forms are different names where case is not folded`() {
    #expect(lines(["\u{E9}", "e\u{301}"]) == [])
    #expect(lines(["\u{E9}", "e\u{301}"], foldsCase: true).count == 1)
  }

  @Test(
    "items and trees",
    arguments: [
      ("m", "m", 1), ("m/x", "m", 0), ("m", "m/x", 1), ("x", ".", 0), ("mm", "m", 0),
    ])
  func itemsAndTrees(item: String, tree: String, errors: Int) {
    let file = load(
      "version: 1\nroot: out\nitems: [{ref: gs://b/x, to: \(item)}]\ntrees: [{ref: gs://b/y, to: \(tree)}]\n")
    #expect(file.errors.count == errors)
  }

  @Test func `the same tree twice in one place is an error, two trees in one place are not`() {
    let head = "version: 1\nroot: out\ntrees:\n  - {ref: gs://b/y, to: t}\n"
    #expect(load(head + "  - {ref: gs://b/y/, to: ./t/}\n").errors.count == 1)
    #expect(load(head + "  - {ref: gs://b/z, to: t}\n").errors.isEmpty)
    #expect(load(head + "  - {ref: gs://b/y, to: t, include: [a]}\n").errors.isEmpty)
  }
}
