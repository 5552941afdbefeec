// Long lists of plain items are read without libyaml; each text here is also read wholly by it, and must mean the same.

import ManifestYAML
import MirrorPlan
import Testing

@Suite struct PlainItemTests {
  private static let sum = String(repeating: "0123456789abcdef", count: 4)

  private static func braced(_ number: Int) -> String {
    "  - {ref: https://a.example/f\(number), to: d\(number / 7)/f\(number), sha256: \(sum)}\n"
  }

  private static func lined(_ number: Int) -> String {
    "- ref: gs://b/f\(number)\n  to: d\(number / 7)/f\(number)\n  size: \(number)\n"
  }

  /// At a server on this machine, where the path may be an object's.
  private static func local(_ number: Int) -> String {
    "  - {ref: http://127.0.0.1:9/f\(number), to: d\(number / 7)/f\(number), sha256: \(sum)}\n"
  }

  private static func list(_ line: (Int) -> String, _ count: Int = 40) -> [String] { (0..<count).map(line) }

  private func expectSame(_ text: String, _ comment: Comment? = nil) {
    // A text with a line that ends in NEL is libyaml's alone, which takes that for a line break as LF.
    let (quick, whole) = (load(text + "#\n\n"), load(text + "#\u{85}\n"))
    #expect(quick.diagnostics == whole.diagnostics, comment)
    #expect(quick.itemCount == whole.itemCount, comment)
    #expect(quick.manifest?.items == whole.manifest?.items, comment)
    #expect((quick.manifest == nil) == (whole.manifest == nil), comment)
  }

  @Test(arguments: [braced, lined, local]) func `plain items have their places, digests and sizes`(
    _ line: @Sendable (Int) -> String
  ) throws {
    let items = Self.list(line).joined()
    let manifest = try #require(load(withItems(items)).manifest)
    #expect(manifest.items.count == 40)
    #expect(manifest.items.map(\.destination.text) == (0..<40).map { "d\($0 / 7)/f\($0)" })
    #expect(Set(manifest.items.map(\.mark.line)).count == 40)
    expectSame(withItems(items))
  }

  /// Put in the place of, or behind, one item in the middle, and at both ends.
  @Test(
    arguments: [
      "  - {ref: x, to: y}\n", "  - {ref: https://a.example/f3, to: d0/f3}\n", "  - {ref: 'a b', to: q}\n", "  - {}\n",
      "  - {ref: https://a.example/z, to: ../z}\n", "  - {ref: https://a.example/z, to: d1}\n", "  # a comment\n", "\n",
      "  - {ref: https://a.example/z, to: z, sha256: 12}\n", "  - {ref: https://a.example/z, to: null}\n",
      "  - {ref: https://a.example/z, to: z, to: z}\n", "  - {ref: https://a.example/z, tO: z}\n",
      "  - {ref: ftp://a.example/z, to: z}\n", "  - {ref: https://a.example:0/z, to: z}\n", "    mode: \"0644\"\n",
      "  - {ref: https://a.example/z, to: z,}\n", "  - {ref: https://a.example/z, to: z, mode: 8}\n", "    more\n",
      "  - &a {ref: https://a.example/z, to: z}\n  - *a\n", "  - ref: https://a.example/z\n    to: z\n", "x: 1\n",
      "  -\n",
      " - {ref: https://a.example/z, to: z}\n", "   - {ref: https://a.example/z, to: z}\n", "\t\n", "  - \"\n", "---\n",
      "  - { ref:  https://a.example/z ,to: z }\n", "  - {ref: https://a.example/z:, to: z}\n", "  - {ref: -, to: z}\n",
      "  - {ref: https://a.example/$HOME, to: z}\n", "trees: []\n", "defaults: {verify: strict}\n", "...\n", "]\n",
      "  - {ref: http://127.0.0.1:9/v0/b/x/o/y, to: z}\n", "  - {ref: http://127.0.0.1:9/b/x/o/y, to: z}\n",
      "  - {ref: http://127.0.0.1:9/v0/b/x, to: z}\n", "  - {ref: http://127.0.0.1:9/v0, to: z}\n",
      "  - {ref: http://127.0.0.1:9//b/x/o/%2F, to: z}\n", "  - {ref: http://u:p@127.0.0.1:9/f, to: z}\n",
      "  - {ref: HTTPS://a.example/z, to: z}\n", "  - {ref: https://storage.googleapis.com/x/y, to: z}\n",
      "  - {ref: https://a.example, to: z}\n", "  - {ref: https://a.example/, to: z/}\n",
      "  - {ref: https://a.example/z, to: ./z}\n", "  - {ref: https://a.example/z, to: z/.}\n",
      "  - {ref: https://a.example/z, to: .z}\n", "  - {ref: https://a.example/z, to: .mirror/z}\n",
      "  - {ref: https://a.example/z, to: z//z}\n", "  - {ref: https://a.example/z, to: /z}\n",
      "  - {ref: https://a.example/z, to: z, md5: 0123456789abcdef0123456789ABCDEF, crc32c: 01234567}\n",
      "  - {ref: https://a.example/z, to: z, generation: 1}\n",
    ])
  func `what stands between plain items means what it means alone`(_ odd: String) {
    for line in [Self.braced, Self.lined, Self.local] {
      for place in [0, 1, 20, 38, 39, 40] {
        var items = Self.list(line)
        items.insert(odd, at: place)
        expectSame(withItems(items.joined()), "behind \(place)")
        if place < 40 {
          items.remove(at: place + 1)
          expectSame(withItems(items.joined()), "instead of \(place)")
        }
      }
    }
  }

  @Test(
    arguments: [
      "version: 1\nroot: o\nx-a: \"\nitems:\nLIST\"\nitems: []\n", "version: 1\nroot: o\nx-a: |\n  items:\nLIST\n",
      "version: 1\nroot: o\nx-a:\nLIST", "version: 1\nroot: o\nitems: []\nitems:\nLIST", "LIST", "- x\nLIST",
      "version: 1\nroot: o\nitems:\nLIST\nitems:\nLIST", "version: 1\nroot: o\nitems: [\nLIST]\n",
      "version: \"1\nitems:\nLIST",
      "version: 1\nroot: o\nx-a: &a\nLIST\nitems: *a\n", "&top\nversion: 1\nroot: o\nitems:\nLIST\ntrees: *top\n",
      "version: 1\nroot: o\nx-a: &a\n  items:\nLIST\n<<: *a\n", "version: 1\nroot: o\nitems: &a\nLIST\nx-b: *a\n",
      "version: 1\nroot: o\nitems:\n  -\n  LIST", "version: 1\nroot: o\nitems: # here\nLIST",
      "\u{FEFF}version: 1\nroot: o\nitems:\nLIST",
      "version: 1\nroot: o\n# é\nitems:\nLIST", "version: 1\r\nroot: o\nitems:\nLIST",
      "version: 1\nroot: o\nitems: !!seq\nLIST",
      "version: 1\nroot: o\nitems:\n- {ref: a, to: b}\nLIST", "version: 1\nroot: o\nx-a: {\nitems:\nLIST}\n",
      "version: 1\nroot: o\nx-a: '\nLIST'\nitems:\nLIST", "version: 1\nroot: o\nx-a: [a\nLIST, b]\nitems:\nLIST",
      "version: 1\nroot: o\nitems:\nLIST\nstorage: {bucket: b}\ndefaults: {mode: \"0600\"}\n",
      "version: 1\nroot: o\nx-a: a\nLIST",
    ])
  func `lines that look like items are items only where YAML has them as such`(_ text: String) {
    for line in [Self.braced, Self.lined, Self.local] {
      expectSame(text.replacing("LIST", with: Self.list(line).joined()))
    }
  }

  @Test func `a mistake in every plain item is reported as by libyaml, with its caret`() {
    expectSame(withItems(Self.list { "  - {ref: x\($0), to: /abs\($0), sha256: 1\($0)}\n" }.joined()))
    expectSame(withItems(Self.list({ "  - {ref: ftp://x\($0), to: a/../b, size: 1x}\n" }, 300).joined()))
    expectSame(withItems(Self.list { "- ref: gs://b\n  to: same\n  md5: \($0)\n" }.joined()))
  }

  @Test func `without items kept, the findings and the count are the same`() {
    for text in [withItems(Self.list(Self.braced).joined()), withItems(Self.list { _ in Self.braced(1) }.joined())] {
      let bare = ManifestFile.load(
        bytes: Array(text.utf8), name: "m.yaml", environment: { _ in nil }, foldsCase: false, keepsItems: false)
      #expect(bare.diagnostics == load(text).diagnostics)
      #expect(bare.itemCount == 40)
      #expect(bare.manifest?.items.isEmpty ?? true)
    }
  }

  @Test func `a byte that changed in a plain item changes the same as for libyaml`() {
    for line in [Self.braced, Self.lined, Self.local] {
      var items = Self.list(line, 18)
      let middle = Array(items[9].utf8)
      for place in middle.indices {
        for byte in "\":,{}#\n- &x".utf8 {
          var changed = middle
          changed[place] = byte
          items[9] = String(decoding: changed, as: UTF8.self)
          expectSame(withItems(items.joined()), "\(items[9])")
        }
      }
    }
  }
}
