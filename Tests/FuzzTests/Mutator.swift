// Makes broken inputs out of good ones, the same in every run.

import TestSupport

/// Changes bytes at random, from a seed.
struct Mutator {
  /// Pieces that break parsers more often than chance would.
  static let awkward: [[UInt8]] =
    [
      "", "\0", "\u{FEFF}", "\r\n", "\n", "\t", " ", "\"", "'", "\\", "\\u", "\\ud800", "%", "%2", "%00", "%2F", "%FF",
      "..",
      "/", "//", "../", ":", "::", "[", "]", "{", "}", "[[[[[[[[", "{{{{{{{{", "&a", "*a", "<<", "- ", "? ", "!!", "|",
      ">", "~",
      "-", "-1", "0", "00", "9223372036854775807", "9223372036854775808", "18446744073709551616", "1e999", "NaN", "0x",
      "1.10",
      "${", "${A", "${A:-", "${A:?", "$$", "é", "e\u{301}", "\u{202E}", "\u{1F600}", "=", "==", ",", ";", "*", "?",
      "**", "[!",
      "GMT", "bytes ", "*/", "null", "true", "http://", "https://", "gs://", "@", "#",
    ].map { Array($0.utf8) } + [
      [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80], [0x1B, 0x5B],
    ]

  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// One of the corpus, changed in one to eight places, at most 64 KiB.
  mutating func next(from corpus: [[UInt8]]) -> [UInt8] {
    var bytes = corpus.randomElement(using: &random) ?? []
    for _ in 0..<Int.random(in: 1...8, using: &random) { change(&bytes, corpus) }
    return Array(bytes.prefix(64 << 10))
  }

  private mutating func change(_ bytes: inout [UInt8], _ corpus: [[UInt8]]) {
    let range = someRange(of: bytes)
    switch Int.random(in: 0..<9, using: &random) {
    case 0 where !bytes.isEmpty: bytes[range.lowerBound % bytes.count] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1 where !bytes.isEmpty: bytes[range.lowerBound % bytes.count] = .random(in: 0...255, using: &random)
    case 2: bytes.removeSubrange(range)
    case 3: bytes.insert(contentsOf: bytes[range], at: range.upperBound)
    case 4: bytes.removeSubrange(range.lowerBound...)
    case 5: bytes.insert(contentsOf: random.bytes(Int.random(in: 1...8, using: &random)), at: range.lowerBound)
    case 6:
      let other = corpus.randomElement(using: &random) ?? []
      bytes.replaceSubrange(range, with: other[someRange(of: other)])
    default: bytes.replaceSubrange(short(range), with: Self.awkward.randomElement(using: &random) ?? [])
    }
  }

  private mutating func someRange(of bytes: [UInt8]) -> Range<Int> {
    let start = Int.random(in: 0...bytes.count, using: &random)
    return start..<Int.random(in: start...min(bytes.count, start + 64), using: &random)
  }

  /// As often nothing as a little, so that pieces are put in between as well as in place of others.
  private mutating func short(_ range: Range<Int>) -> Range<Int> {
    range.lowerBound..<min(range.upperBound, range.lowerBound + Int.random(in: 0...3, using: &random))
  }
}
