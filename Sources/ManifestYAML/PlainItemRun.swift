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

  func forEach(plain: (PlainItem) -> Bool, _ body: (inout ItemDraft) -> Void) {
    bytes.withUnsafeBufferPointer { text in
      var draft = ItemDraft(span: SourceSpan(line: line, column: 1))
      var fields: [PlainItemScanner.Field] = []
      var next = start
      var line = line
      for _ in 0..<count {
        fields.removeAll(keepingCapacity: true)
        var scanner = PlainItemScanner(text, at: next)
        let end = scanner.scan { fields.append($0) }
        // The line was scanned before, so there is an end.
        guard let end else { return }
        let mark = SourceMark(line: line, column: scanner.mappingStart - next + 1)
        if PlainItem(fields, in: text, at: mark).map(plain) != true {
          draft.clear()
          for field in fields { draft.add(field, in: text, line: line) }
          draft.span = SourceSpan(line: mark.line, column: mark.column)
          body(&draft)
        }
        next = end
        line += scanner.lines
      }
    }
  }
}

extension PlainItem {
  /// nil when there is more, or a digest is none as it stands.
  fileprivate init?(_ fields: [PlainItemScanner.Field], in text: UnsafeBufferPointer<UInt8>, at mark: SourceMark) {
    var reference: UnsafeBufferPointer<UInt8>?
    var destination: PlainItemScanner.Field?
    var pins = DigestSet()
    for field in fields {
      switch field.key {
      case .ref: reference = UnsafeBufferPointer(rebasing: text[field.value])
      case .to: destination = field
      default:
        guard let digest = field.digest(in: text) else { return nil }
        pins[digest.algorithm] = digest
      }
    }
    guard let reference, let destination else { return nil }
    self.init(
      reference: reference, destination: UnsafeBufferPointer(rebasing: text[destination.value]), pins: pins, mark: mark,
      destinationSpan: destination.span(inItemAt: mark.line))
  }
}

extension PlainItemScanner.Field {
  /// nil when it is something else, or not spelled in hexadecimal digits.
  fileprivate func digest(in text: UnsafeBufferPointer<UInt8>) -> Digest? {
    let algorithm: DigestAlgorithm? =
      switch key {
      case .sha256: .sha256
      case .sha512: .sha512
      case .md5: .md5
      case .crc32c: .crc32c
      case .ref, .to, .size, .generation, .placeholder, .checksumURL: nil
      }
    return algorithm.flatMap { Digest(hex: UnsafeBufferPointer(rebasing: text[value]), $0) }
  }

  fileprivate func span(inItemAt line: Int) -> SourceSpan {
    SourceSpan(
      line: line + linesBelow, column: value.lowerBound - lineStart + 1, length: value.count, inset: 0)
  }
}

extension ItemDraft {
  fileprivate mutating func add(_ field: PlainItemScanner.Field, in text: UnsafeBufferPointer<UInt8>, line: Int) {
    if let digest = field.digest(in: text) {
      pins[digest.algorithm] = digest
      return
    }
    let value = UnsafeBufferPointer(rebasing: text[field.value])
    let located = LocatedText(String(decoding: value, as: UTF8.self), field.span(inItemAt: line))
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
