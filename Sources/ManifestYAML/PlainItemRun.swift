// The lines of a manifest that are spared libyaml: long runs of items in a plain spelling.
//
// libyaml takes 200 instructions a byte, five times what all else does with an item. So of each run only the first and the
// last item are shown to it; the others are empty lines to it, and are read by `PlainItemScanner` when their turn comes. This
// is sound because libyaml stands in the same state behind each item of a run: what it makes of the first (which the
// decoder looks at before it takes the run) it would make of all. A run that is not taken means that its lines were
// something else, as lines inside of quotes are, and the whole text is read by libyaml.

import MirrorPlan
import TransferModel

/// The items of a run between its first and its last, in the order of the text.
struct PlainItemRun: ItemDraftRun {
  /// Where libyaml must have found the first item of the run.
  let first: SourceMark
  let count: Int
  private let bytes: [UInt8]
  /// Where the first of these items begins in `bytes`, and in which line.
  private let start: Int
  private let line: Int

  func forEach(_ body: (inout ItemDraft) -> Void) {
    bytes.withUnsafeBufferPointer { text in
      var draft = ItemDraft(span: SourceSpan(line: line, column: 1))
      var next = start
      var line = line
      for _ in 0..<count {
        draft.clear()
        var scanner = PlainItemScanner(text, at: next)
        let end = scanner.scan { field in draft.add(field, in: text, line: line + field.linesBelow) }
        // The line was scanned before, so there is an end.
        guard let end else { return }
        draft.span = SourceSpan(line: line, column: scanner.mappingStart - next + 1)
        next = end
        line += scanner.lines
        body(&draft)
      }
    }
  }
}

extension ItemDraft {
  fileprivate mutating func add(_ field: PlainItemScanner.Field, in text: UnsafeBufferPointer<UInt8>, line: Int) {
    let value = UnsafeBufferPointer(rebasing: text[field.value])
    let algorithm: DigestAlgorithm? =
      switch field.key {
      case .sha256: .sha256
      case .sha512: .sha512
      case .md5: .md5
      case .crc32c: .crc32c
      case .ref, .to, .size, .generation, .placeholder, .checksumURL: nil
      }
    if let algorithm, let digest = Digest(hex: value, algorithm) {
      pins[algorithm] = digest
      return
    }
    let located = LocatedText(
      String(decoding: value, as: UTF8.self),
      SourceSpan(
        line: line, column: field.value.lowerBound - field.lineStart + 1, length: field.value.count, inset: 0))
    if field.key == .ref { references.append(located) } else { set(field.key, located) }
  }
}

// MARK: - Finding

extension PlainItemRun {
  /// Shorter runs are not worth it.
  private static let leastCount = 16

  /// The runs of a text, and the text with nothing but line breaks where they are; nil when there is none.
  ///
  /// - Parameter start: where the text begins, behind a byte order mark.
  static func abridge(_ bytes: [UInt8], from start: Int) -> (text: [UInt8], runs: [PlainItemRun])? {
    var finder = PlainItemFinder(bytes, from: start)
    bytes.withUnsafeBufferPointer { finder.walk($0) }
    guard !finder.isUncountable, !finder.stretches.isEmpty else { return nil }
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count - finder.stretches.reduce(0) { $0 + $1.bytes.count - $1.lines })
    var end = start
    for stretch in finder.stretches {
      text += bytes[end..<stretch.bytes.lowerBound]
      text.append(contentsOf: repeatElement(0x0A, count: stretch.lines))
      end = stretch.bytes.upperBound
    }
    text += bytes[end...]
    let runs = finder.stretches.map { stretch in
      PlainItemRun(
        first: stretch.first, count: stretch.count, bytes: bytes, start: stretch.bytes.lowerBound, line: stretch.line)
    }
    return (text, runs)
  }

  /// What of a run is left out.
  fileprivate struct Stretch {
    var first: SourceMark
    var count: Int
    var bytes: Range<Int>
    var line: Int
    var lines: Int
  }

  private struct PlainItemFinder {
    private(set) var stretches: [Stretch] = []
    /// Whether lines end otherwise than in LF: libyaml counts them, and so would this have to.
    private(set) var isUncountable = false
    private let start: Int
    private var run: Run?

    /// A run while it is walked.
    private struct Run {
      var indent: Int
      var first: SourceMark
      var count = 1
      /// Behind the first item, and at the latest one.
      var start: Int
      var line: Int
      var latest: Int
      var latestLine: Int
    }

    init(_ bytes: [UInt8], from start: Int) { self.start = start }

    mutating func walk(_ text: UnsafeBufferPointer<UInt8>) {
      var index = start
      var line = 1
      while index < text.count {
        var scanner = PlainItemScanner(text, at: index)
        if let end = scanner.scan({ _ in }) {
          note(scanner, from: index, to: end, line: line)
          index = end
          line += scanner.lines
        } else {
          endRun()
          index = lineEnd(text, index)
          line += 1
        }
      }
      endRun()
    }

    private mutating func note(_ scanner: PlainItemScanner, from index: Int, to end: Int, line: Int) {
      if run?.indent == scanner.indent {
        run?.count += 1
        run?.latest = index
        run?.latestLine = line
      } else {
        endRun()
        run = Run(
          indent: scanner.indent, first: SourceMark(line: line, column: scanner.mappingStart - index + 1), start: end,
          line: line + scanner.lines, latest: index, latestLine: line)
      }
    }

    private mutating func endRun() {
      guard let ended = run.take(), ended.count >= leastCount else { return }
      stretches.append(
        Stretch(
          first: ended.first, count: ended.count - 2, bytes: ended.start..<ended.latest, line: ended.line,
          lines: ended.latestLine - ended.line))
    }

    /// Behind the line's LF, or at the end of the text.
    private mutating func lineEnd(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int {
      var index = start
      while index < text.count, text[index] != 0x0A {
        // CR, and the first bytes of NEL, LS and PS, which YAML takes for line breaks.
        if text[index] == 0x0D || text[index] == 0xC2 || text[index] == 0xE2 { isUncountable = true }
        index += 1
      }
      return min(index + 1, text.count)
    }
  }
}
