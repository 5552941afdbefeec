// A walk over the events of a document in which aliases can be followed, within limits: no text of a few hundred bytes may
// cost gigabytes, and nothing recurses deeper than the schema.

import MirrorPlan

/// Something recorded that can be walked again.
enum YAMLReplay {
  /// A part of the cursor's own record.
  case anchored(Range<Int>)
  case captured([YAMLEvent])
}

/// Walks forward. Events with anchors are recorded, once each, however often they are walked again.
final class YAMLCursor {
  /// The deepest nesting of lists and mappings; a manifest needs 6.
  static let maximumDepth = 64
  /// What aliases and merges may add, in bytes of text and 16 for each event: this much, and `growth` times the text.
  static let freeGrowth = 1 << 20
  static let growth = 16

  private let reader: YAMLEventReader
  private var growthLeft: Int
  private var depth = 0
  private var frames: [Frame] = []

  private var record: [YAMLEvent] = []
  private var recordings: [(anchor: String, start: Int, depth: Int)] = []
  private var anchors: [String: Range<Int>] = [:]
  private var readDepth = 0

  private struct Frame {
    var replay: YAMLReplay
    var position: Int
  }

  /// `length` is that of the text as it was written, when `bytes` are less.
  init(_ bytes: UnsafeBufferPointer<UInt8>, length: Int) throws(YAMLFailure) {
    reader = try YAMLEventReader(bytes)
    growthLeft = Self.freeGrowth + Self.growth * length
  }

  /// Whether the next event comes from a record.
  var isReplaying: Bool { !frames.isEmpty }

  /// The next event, an alias unfollowed; nil at the end of the document.
  func next() throws(YAMLFailure) -> YAMLEvent? {
    guard let event = try frames.isEmpty ? read() : replayed() else { return nil }
    if event.opens {
      depth += 1
      if depth > Self.maximumDepth {
        throw YAMLFailure(
          event.span, "more than \(Self.maximumDepth) lists and mappings inside each other", isLimit: true)
      }
    } else if event.closes {
      depth -= 1
    }
    return event
  }

  /// The next event where a value is wanted: an alias is followed to what it stands for.
  func node() throws(YAMLFailure) -> YAMLEvent? {
    guard let event = try next() else { return nil }
    guard case .alias(let name) = event.kind else { return event }
    replay(try target(of: name, at: event.span))
    return try next()
  }

  /// Passes over the rest of a value whose first event was taken. Aliases in it are not followed.
  func skip(_ event: YAMLEvent) throws(YAMLFailure) {
    guard event.opens else { return }
    let outside = depth - 1
    while depth > outside {
      guard try next() != nil else { return }
    }
  }

  /// As `skip`, but keeps the events for a replay.
  func capture(_ event: YAMLEvent) throws(YAMLFailure) -> YAMLReplay {
    if case .alias(let name) = event.kind { return try target(of: name, at: event.span) }
    var events = [event]
    let outside = depth - 1
    while event.opens, depth > outside {
      guard let inner = try next() else { break }
      events.append(inner)
    }
    return .captured(events)
  }

  /// Walks something recorded next, and then goes on where it was.
  func replay(_ replay: YAMLReplay) {
    switch replay {
    case .anchored(let range): frames.append(Frame(replay: replay, position: range.lowerBound))
    case .captured: frames.append(Frame(replay: replay, position: 0))
    }
  }

  private func target(of name: String, at span: SourceSpan) throws(YAMLFailure) -> YAMLReplay {
    if recordings.contains(where: { $0.anchor == name }) {
      throw YAMLFailure(span, "the alias `*\(name)` stands inside its own anchor")
    }
    guard let range = anchors[name] else {
      throw YAMLFailure(
        span, "no anchor `&\(name)` stands before this alias",
        hint: Suggestion.nearest(to: name, among: anchors.keys.sorted()).map { "did you mean `*\($0)`?" }
          ?? "quote a text that begins with `*`")
    }
    return .anchored(range)
  }

  private func replayed() throws(YAMLFailure) -> YAMLEvent? {
    guard var frame = frames.popLast() else { return nil }
    let event: YAMLEvent
    let end: Int
    switch frame.replay {
    case .anchored(let range):
      event = record[frame.position]
      end = range.upperBound
    case .captured(let events):
      event = events[frame.position]
      end = events.count
    }
    frame.position += 1
    if frame.position < end { frames.append(frame) }
    try charge(event)
    return event
  }

  private func charge(_ event: YAMLEvent) throws(YAMLFailure) {
    var cost = 16
    if case .scalar(let text, _) = event.kind { cost += text.utf8.count }
    growthLeft -= cost
    if growthLeft < 0 {
      throw YAMLFailure(
        event.span, "aliases make the manifest more than \(Self.growth) times as large as it is written",
        hint: "write the entries out, or use fewer aliases of this value", isLimit: true)
    }
  }

  private func read() throws(YAMLFailure) -> YAMLEvent? {
    guard let event = try reader.next() else { return nil }
    if event.closes { readDepth -= 1 }
    if let anchor = event.anchor, event.opens {
      recordings.append((anchor, record.count, readDepth))
    } else if let anchor = event.anchor {
      anchors[anchor] = record.count..<(record.count + 1)
      record.append(event)
    }
    if event.opens { readDepth += 1 }
    guard let last = recordings.last else { return event }
    if event.anchor == nil || event.opens { record.append(event) }
    if event.closes, last.depth == readDepth {
      recordings.removeLast()
      anchors[last.anchor] = last.start..<record.count
    }
    return event
  }
}
