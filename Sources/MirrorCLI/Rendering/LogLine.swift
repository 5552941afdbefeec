// One thing that is said on standard error, as text for people or as a JSON object for programs.

import MirrorPlan
import TransferModel

/// Something that happened and is worth a line.
struct LogEvent: Hashable, Sendable {
  enum Level: String, Sendable {
    case error
    case warning
    case info
    /// Said with `-v` only.
    case detail
  }

  /// A fact for programs; people read the message.
  enum Value: Hashable, Sendable {
    case text(String)
    case integer(Int64)
  }

  var level: Level
  /// A stable word for programs, for example `item_failed`.
  var event: String
  /// One sentence.
  var message: String
  var hint: String?
  var facts: [Fact] = []

  struct Fact: Hashable, Sendable {
    var name: String
    var value: Value
  }

  /// Whether it is said at all: errors always, details when asked for.
  func isSaid(at verbosity: TalkOptions.Verbosity) -> Bool {
    switch verbosity {
    case .quiet: level == .error
    case .normal: level != .detail
    case .verbose: true
    }
  }
}

/// Renders what is said; each result ends with a line break.
enum LogLine {
  /// `error: …` and, on a line of its own, `hint: …`; plain sentences carry no word before them.
  static func text(_ event: LogEvent, isColored: Bool) -> String {
    let message = TerminalText.escape(event.message)
    let line =
      switch event.level {
      case .error: label("error", color: "31", isColored) + message
      case .warning: label("warning", color: "33", isColored) + message
      case .info, .detail: message
      }
    guard let hint = event.hint else { return line + "\n" }
    return line + "\n" + label("hint", color: "36", isColored) + TerminalText.escape(hint) + "\n"
  }

  private static func label(_ word: String, color: String, _ isColored: Bool) -> String {
    isColored ? "\u{1B}[\(color)m\(word):\u{1B}[0m " : "\(word): "
  }

  /// `{"time":…,"level":…,"event":…,"message":…}` and the facts.
  static func json(_ event: LogEvent, at time: Timestamp) -> String {
    object { writer in
      begin(&writer, time, level: event.level, event: event.event)
      write(&writer, "message", .text(event.message))
      if let hint = event.hint { write(&writer, "hint", .text(hint)) }
      for fact in event.facts { write(&writer, fact.name, fact.value) }
    }
  }

  /// The event `progress`: totals that are not known are left out.
  static func json(_ snapshot: ProgressSnapshot, at time: Timestamp) -> String {
    object { writer in
      begin(&writer, time, level: .info, event: "progress")
      write(&writer, "items_done", .integer(Int64(snapshot.itemsDone)))
      if let total = snapshot.itemsTotal { write(&writer, "items_total", .integer(Int64(total))) }
      write(&writer, "items_failed", .integer(Int64(snapshot.itemsFailed)))
      write(&writer, "bytes_done", .integer(snapshot.bytesDone))
      if let total = snapshot.bytesTotal { write(&writer, "bytes_total", .integer(total)) }
      if let rate = snapshot.rate { write(&writer, "bytes_per_second", .integer(Int64(rate))) }
    }
  }

  private static func object(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter(layout: .compact)
    writer.beginObject()
    body(&writer)
    writer.endObject()
    return String(decoding: writer.takeBytes(), as: UTF8.self) + "\n"
  }

  private static func begin(_ writer: inout JSONWriter, _ time: Timestamp, level: LogEvent.Level, event: String) {
    write(&writer, "time", .text(time.rfc3339()))
    write(&writer, "level", .text(level.rawValue))
    write(&writer, "event", .text(event))
  }

  private static func write(_ writer: inout JSONWriter, _ name: String, _ value: LogEvent.Value) {
    writer.key(named: name)
    switch value {
    case .text(let text): writer.string(text)
    case .integer(let number): writer.integer(number)
    }
  }
}
