// One reading reports everything: thirty mistakes of different kinds, each at its own place.

import MirrorPlan
import Testing

@Suite struct ThirtyMistakesTests {
  static let text = #"""
    version: 2
    rot: out
    storage: {bucket: gs://b, api: gsc, emulator: "host:99999"}
    auth:
      - host: http://example.com
        header: Authorization
        value: {env: TOKEN}
      - host: artifacts.example.com
        header: "X Token"
        value: literal
    defaults:
      max_size: 10 gigs
      verify: yes
      content: stored
      content: decoded
      mode: "0999"
      timeout: {connect: 10, idel: 30s, min_rate: fast}
      retry: {statuses: [200], initial: 5m, max: 1s}
    limits: {jobs: 0, per_host: 1e3}
    items:
      - ref: ${UNSET}/a
        to: a
      - ref: gs://b/x
        to: /etc/passwd
      - ref: gs://b/x
        to: a/../b
      - ref: htps://example.com/x
        to: [c]
      - ref: gs://b/x
        sha256: abc
        to: d
      - ref: gs://b/y
        to: ./d
      - ref: gs://b/
      - ref: https://example.com/
        to: keep/
        generation: 0123
    trees:
      - ref: https://example.com/folder/
        to: t
        include: ["a[b"]
        prune: {enabled: on, max: 200%}
    """#

  static let expected = [
    "1:1 a manifest lacks `root`",
    "1:10 version `2` is not known",
    "2:1 a manifest has no key `rot`",
    "3:19 `bucket` is a name, not a reference",
    "3:32 `api` is `firebase` or `gcs`, not `gsc`",
    "3:47 `host:99999` is no host: the port is not a number from 1 to 65535",
    "5:11 the secret would cross the network in clear",
    "9:13 `X Token` is no name of a header",
    "10:12 a secret is not written into a manifest",
    "12:13 `10 gigs` is no size",
    "13:11 `verify` is `auto`, `strict` or `off`, not `yes`",
    "15:3 `content` is here twice; the first is at line 14",
    "16:9 `0999` is no file mode",
    "17:22 `10` is no duration",
    "17:26 `timeout` has no key `idel`",
    "17:47 `fast` is no rate",
    "18:22 `statuses` must be from 400 to 599",
    "18:46 the first wait of `retry` would be longer than the longest",
    "19:16 `jobs` must be from 1 to 4096",
    "19:29 `1e3` is no number",
    "21:10 the variable `UNSET` is not set",
    "24:9 the destination is absolute",
    "26:9 the destination has the component `..`, which would leave the root",
    "27:10 `htps://` is not fetched; references are bare paths, `gs://`, `https://` or `http://`",
    "28:9 `to` is a text, not a list",
    "30:13 a sha256 checksum is 64 hexadecimal digits; this has 3",
    "33:9 the destination `d` is taken already, at line 31",
    "34:5 an item lacks `to`",
    "34:10 the reference names a bucket, not an object",
    "36:9 the destination is a folder, and the reference has no last name to keep",
    "37:17 `0123` is no number",
    "39:10 a tree is a folder in a bucket; a plain URL cannot be listed",
    "41:17 bad pattern: a `[` without its `]`",
    "42:22 `on` is no truth value",
    "42:31 `200%` is no cap",
  ]

  @Test func `thirty mistakes and more are reported in one run, each at its line and column`() {
    let file = load(Self.text)
    #expect(file.manifest == nil)
    #expect(file.lines == Self.expected)
    #expect(file.lines.count >= 30)
  }

  @Test func `findings stand in the order of the text`() {
    let marks = load(Self.text).diagnostics.map(\.mark)
    #expect(marks == marks.sorted())
  }

  @Test func `a syntax error keeps what was found before it`() {
    let file = load("version: 1\nrot: x\nroot: out\nitems:\n  - ref: [a\n    to: b\n")
    #expect(file.lines.contains("2:1 a manifest has no key `rot`"))
    #expect(file.errors.count == 2)
    #expect(file.errors.last?.mark.line == 6)
  }

  @Test func `of thousands of mistakes, two hundred are shown and the rest is counted`() {
    let file = load(withItems(String(repeating: "  - {reff: a, to: b}\n", count: 3_000)))
    #expect(file.errors.count == 201)
    #expect(file.errors.last?.message.hasPrefix("and ") == true)
    #expect(file.errors.last?.mark == SourceMark(line: 0, column: 0))
  }
}
