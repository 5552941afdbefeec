// What good manifests mean, value by value.

import ManifestYAML
import MirrorPlan
import Testing
import TransferModel

@Suite struct ManifestDecodingTests {
  private func item(_ lines: String) throws -> Item {
    let file = load(withItems("  - " + lines.split(separator: "\n").joined(separator: "\n    ") + "\n"))
    let manifest = try #require(file.manifest, "\(file.lines)")
    return try #require(manifest.items.first)
  }

  @Test func `the smallest manifest has every default`() throws {
    let file = load("version: 1\nroot: out\n")
    let manifest = try #require(file.manifest)
    #expect(manifest.root == "out")
    #expect(manifest.limits == Limits())
    #expect(manifest.storage == StorageSettings())
    #expect(manifest.items.isEmpty && manifest.trees.isEmpty)
    #expect(file.lines == ["1:1 the manifest has neither `items` nor `trees`: there is nothing to do"])
    #expect(manifest.warnings == file.diagnostics)
  }

  @Test(
    "P76: a text is what was typed, whatever YAML makes of it",
    arguments: [
      "no", "yes", "on", "0644", "1.10", "1e3", "12:30:45", "2001-01-01", "0x10", "0o7", "1_000", "+1", ".inf", "true",
      "-0",
      "=", "1.0", "~x", "a#b", "NaN", "é", "e\u{301}", "a b", "C:x",
    ])
  func texts(text: String) throws {
    for spelling in [text, "\"\(text)\"", "'\(text)'"] {
      let path = try item("ref: gs://b/x\nto: \(spelling)").destination
      #expect(path.text.utf8.elementsEqual(text.utf8))
    }
  }

  @Test("P76: a plain null is a text too, with a warning", arguments: ["~", "null"])
  func nulls(text: String) {
    let file = load(withItems("  - ref: gs://b/x\n    to: \(text)\n"))
    #expect(file.manifest?.items.first?.destination.text == text)
    #expect(file.warnings.count == 1)
    #expect(load(withItems("  - ref: gs://b/x\n    to: '\(text)'\n")).warnings.isEmpty)
  }

  @Test("nothing behind a key is an error where a text is wanted")
  func emptyValue() {
    #expect(load(withItems("  - ref: gs://b/x\n    to:\n")).lines == ["5:8 `to` has no value"])
    #expect(load(withItems("  - ref: gs://b/x\n    to: a\n    sha256:\n")).lines == ["6:12 `sha256` has no value"])
  }

  @Test("P63: an empty selection is nothing, with a warning", arguments: ["[]", "", "~"])
  func emptySelection(text: String) throws {
    let empty = load("version: 1\nroot: out\nitems: \(text)\ntrees: \(text)\n")
    #expect(empty.manifest?.items.isEmpty == true)
    #expect(empty.warnings.count == 2)
    let file = load(
      "version: 1\nroot: out\ntrees:\n  - ref: gs://b/\n    to: .\n    include: \(text)\n    prune: {enabled: true}\n")
    let tree = try #require(file.manifest?.trees.first)
    #expect(file.warnings.count == 1)
    #expect(tree.include == [.nothing])
    #expect(!tree.prune.enabled)
  }

  @Test("P77: a byte order mark and other line ends change nothing", arguments: ["\n", "\r\n", "\r"])
  func lineEnds(lineEnd: String) throws {
    let text = "version: 1\nroot: \" out \"\nitems:\n  - ref: gs://b/x  \n    to: x"
    let written = "\u{FEFF}" + text.split(separator: "\n").joined(separator: lineEnd)
    let file = load(written)
    let manifest = try #require(file.manifest, "\(file.lines)")
    #expect(manifest.root == " out ")
    #expect(manifest.items.first?.destination.text == "x")
    #expect(manifest.items.first?.references == [.storage(StorageAddress(bucket: "b", object: ObjectName("x")))])
  }

  @Test(
    "P75: a key twice is an error that names both lines",
    arguments: [
      ("version: 1\nroot: a\nroot: b\n", "3:1 `root` is here twice; the first is at line 2"),
      ("version: 1\nroot: a\nitems: []\n\nitems: []\n", "5:1 `items` is here twice; the first is at line 3"),
      (withItems("  - ref: gs://b/a\n    to: x\n    \"to\": x\n"), "6:5 `to` is here twice; the first is at line 5"),
      (
        withItems("  - &i {ref: gs://b/a, to: x, to: y}\n  - {<<: *i, to: z}\n"),
        "4:31 `to` is here twice; the first is at line 4"
      ),
      (
        "version: 1\nroot: a\nx-a: &a {max_size: 1}\ndefaults: {<<: *a, <<: *a}\n",
        "4:20 `<<` is here twice; the first is at line 4"
      ),
    ])
  func duplicates(text: String, expected: String) {
    #expect(load(text).lines == [expected])
  }

  @Test func `merge keys: what is said wins over what is merged, earlier merges over later ones`() throws {
    let file = load(
      """
      version: 1
      root: out
      x-a: &a {max_size: 1, mode: "0600", timeout: {idle: 1s}}
      x-b: &b {max_size: 2, mode: "0640", verify: strict}
      items:
        - {<<: [*a, *b], ref: gs://b/x, to: x, max_size: 3}
        - ref: gs://b/y
          to: y
          <<: {mtime: now, <<: *b}
      """)
    let items = Array(try #require(file.manifest, "\(file.lines)").items)
    #expect(items[0].settings.maxSize == 3)
    #expect(items[0].settings.mode == 0o600)
    #expect(items[0].settings.verify == .strict)
    #expect(items[0].settings.timeouts.idle == .seconds(1))
    #expect(items[1].settings.modified == .now)
    #expect(items[1].settings.maxSize == 2)
  }

  @Test func `aliases stand for texts, lists and mappings`() throws {
    let file = load(
      """
      version: 1
      root: &r out
      x-retry: &retry {for: 1m}
      x-list: &list ["*.a", &c "*.c"]
      defaults: {retry: *retry}
      trees:
        - {ref: gs://b/x, to: *r, include: *list, exclude: [*c]}
      """)
    let tree = try #require(file.manifest, "\(file.lines)").trees[0]
    #expect(tree.destination?.text == "out")
    #expect(tree.include.map(\.pattern) == ["*.a", "*.c"])
    #expect(tree.exclude.map(\.pattern) == ["*.c"])
    #expect(tree.settings.retry.budget == .seconds(60))
  }

  @Test func `defaults are laid under items key by key`() throws {
    let file = load(
      """
      version: 1
      root: out
      defaults: {max_size: 1MiB, timeout: {idle: 5s, item: 1h}, retry: {statuses: [503]}, ranges: {cutoff: 1MiB}}
      items:
        - {ref: gs://b/x, to: x, timeout: {connect: 1s, item: none}, max_size: none, retry: {for: 0s}, ranges: {streams: 1}}
        - {ref: gs://b/y, to: y}
      """)
    let items = Array(try #require(file.manifest, "\(file.lines)").items)
    #expect(items[0].settings.maxSize == nil)
    #expect(items[0].settings.itemDeadline == nil)
    #expect(items[0].settings.timeouts.connect == .seconds(1))
    #expect(items[0].settings.ranges == RangePolicy(cutoff: 1 << 20, streams: 1))
    #expect(items[0].settings.timeouts.idle == .seconds(5))
    #expect(items[0].settings.retry.budget == .zero)
    #expect(items[0].settings.retry.statuses == [503])
    #expect(items[1].settings.maxSize == ByteCount(1 << 20))
    #expect(items[1].settings.itemDeadline == .seconds(3600))
  }

  @Test func `an item has mirrors, pins, a size and a generation`() throws {
    let zeros = String(repeating: "0", count: 64)
    let item = try item("ref: [gs://b/x, https://e.com/x]\nto: d/\nsha256: \(zeros)\nsize: 1KiB\ngeneration: 5")
    #expect(item.references.count == 2)
    #expect(item.destination.text == "d/x")
    #expect(item.pins.sha256?.hex == zeros)
    #expect(item.size == 1024)
    #expect(item.generation == 5)
    #expect(item.mark == SourceMark(line: 4, column: 5))
  }

  @Test(
    "P80: checksums in every spelling",
    arguments: [
      "B94D27B9934D3E08A52E52D7DA7DABFAC484EFE37A5380EE9088F7ACE2EFCDE9",
      "sha256:b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
      "' b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9 '",
      "uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=",
    ])
  func checksums(text: String) throws {
    let item = try item("ref: gs://b/x\nto: x\nsha256: \(text)")
    #expect(item.pins.sha256?.hex == "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9")
  }

  @Test func `P80: a checksum of the wrong length is an error of the manifest`() {
    let file = load(
      withItems("  - {ref: gs://b/x, to: x, sha256: b94d27, md5: \(String(repeating: "0", count: 64))}\n"))
    #expect(file.errors.count == 2)
  }

  @Test("B24: a generation in a link is a pin")
  func generationOfLink() throws {
    let link = "https://storage.googleapis.com/download/storage/v1/b/c/o/a%2Fb?generation=5&alt=media"
    #expect(try item("ref: \(link)\nto: x").generation == 5)
    #expect(load(withItems("  - {ref: \"\(link)\", to: x, generation: 6}\n")).errors.count == 1)
  }

  @Test("P83: a link with plain slashes is understood, with a warning")
  func plainSlashes() {
    let file = load(
      withItems("  - ref: https://firebasestorage.googleapis.com/v0/b/c/o/images/stars.jpg?alt=media\n    to: x\n"))
    let expected = Reference.storage(StorageAddress(bucket: "c", object: ObjectName("images/stars.jpg")))
    #expect(file.manifest?.items.first?.references == [expected])
    #expect(file.warnings.count == 1)
  }

  @Test("a tree's prefix ends in a slash", arguments: ["gs://b/models", "gs://b/models/", "gs://b/models//"])
  func prefixes(text: String) {
    let file = load("version: 1\nroot: out\ntrees: [{ref: \"\(text)\", to: m}]\n")
    #expect(file.manifest?.trees.first?.prefix == StorageAddress(bucket: "b", object: ObjectName("models/")))
  }

  @Test func `a variable that is not set is named with its line`() {
    let file = load(withItems("  - ref: gs://b/é-${NOT_SET}/x\n    to: x\n"))
    #expect(file.lines == ["4:19 the variable `NOT_SET` is not set"])
    #expect(file.errors.first?.length == 10)
  }

  @Test func `what a variable holds is never shown`() {
    let text = withItems("  - {ref: \"${S}\", to: \"/${S}\", max_size: \"${S}\", sha256: \"${S}\", mode: \"${S}\"}\n")
    let file = load(text, environment: ["S": "hunter2"])
    #expect(file.errors.count >= 3)
    let shown = DiagnosticRenderer(name: "m", source: Array(text.utf8)).text(of: file.diagnostics)
    #expect(!shown.contains("hunter2"))
  }

  @Test func `variables are put in after parsing and cannot become YAML`() {
    let file = load(withItems("  - ref: gs://b/x\n    to: ${V}\n"), environment: ["V": "a: [b, {c"])
    #expect(file.manifest?.items.first?.destination.text == "a: [b, {c")
  }

  @Test("R11: control characters are no part of a destination", arguments: [#""a\nb""#, #""a\x1bb""#, #""a\x7F""#])
  func controlCharacters(text: String) {
    #expect(
      load(withItems("  - ref: gs://b/x\n    to: \(text)\n")).lines == ["5:9 the destination has a control character"])
    let named = "version: 1\nroot: out\nstorage: {bucket: b}\nitems:\n  - ref: \(text)\n    to: ./\n"
    #expect(load(named).lines == ["6:9 the reference's last name has a control character"])
  }

  @Test func `a control character in a value does not reach the terminal`() {
    let text = withItems("  - ref: gs://b/x\n    to: x\n    max_size: \"\\e[31m\"\n")
    let shown = DiagnosticRenderer(name: "m", source: Array(text.utf8)).text(of: load(text).diagnostics)
    #expect(shown.contains("error: `\\u{1b}[31m` is no size"))
    #expect(!shown.contains("\u{1B}"))
  }
}
