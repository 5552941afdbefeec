// How a mirror stands, as text and as JSON, `mirror.status/1`.

package import TransferModel

package struct StatusReport: Sendable {
  /// Why an item is not what the manifest wants, as far as that is known without asking.
  package enum Staleness: String, Sendable {
    /// No run has fetched it.
    case neverFetched = "never_fetched"
    /// It was fetched, and is gone from the disk.
    case missing
    /// The manifest's placeholder stands in for it.
    case placeholder
    /// It came from another reference than the manifest names now.
    case otherSource = "other_source"
    /// It is not as mirror wrote it.
    case changed
  }

  package struct StaleItem: Sendable {
    package var destination: String
    package var staleness: Staleness

    package init(destination: String, staleness: Staleness) {
      self.destination = destination
      self.staleness = staleness
    }
  }

  package struct Failing: Sendable {
    package var place: String
    package var reason: ReasonCode
    package var message: String
    package var since: Timestamp
    package var runs: Int64

    package init(place: String, reason: ReasonCode, message: String, since: Timestamp, runs: Int64) {
      self.place = place
      self.reason = reason
      self.message = message
      self.since = since
      self.runs = runs
    }
  }

  /// Stale and failing entries that are named; the rest is counted.
  package static let shown = 1_000

  package var root: String
  package var now: Timestamp
  package var history: RunHistory
  /// Files that are recorded, items and trees together.
  package var files: Int64
  package var stale: [StaleItem] = []
  package var staleCount = 0
  package var failing: [Failing] = []
  package var failingCount: Int64 = 0

  package init(root: String, now: Timestamp, history: RunHistory, files: Int64) {
    self.root = root
    self.now = now
    self.history = history
    self.files = files
  }

  package mutating func add(_ item: StaleItem) {
    staleCount += 1
    if stale.count < Self.shown { stale.append(item) }
  }

  /// Lines, each with its line break; `verbose` names every entry, else the first ten of each kind.
  package func text(verbose: Bool) -> String {
    var text = "root          \(TerminalText.escape(root)): \(TerminalText.grouped(Int(files))) files\n"
    text += "last run      \(history.last.map { words($0) } ?? "never")\n"
    text += "last success  \(history.lastSuccess.map { words($0) } ?? "never")\n"
    if let since = history.failingSince {
      text += "failing       since \(time(since)), \(history.failedRuns) \(history.failedRuns == 1 ? "run" : "runs")\n"
    }
    let limit = verbose ? Self.shown : 10
    if staleCount > 0 { text += "stale         \(TerminalText.grouped(staleCount)) items\n" }
    for item in stale.prefix(limit) {
      text += "  \(TerminalText.escape(item.destination)): \(words(item.staleness))\n"
    }
    text += more(staleCount - min(limit, stale.count))
    if failingCount > 0 { text += "failing now   \(TerminalText.grouped(Int(failingCount)))\n" }
    for entry in failing.prefix(limit) {
      text +=
        "  \(TerminalText.escape(entry.place)): since \(time(entry.since)), "
        + "\(entry.runs) \(entry.runs == 1 ? "run" : "runs"): \(TerminalText.escape(entry.message)) "
        + "[\(entry.reason.rawValue)]\n"
    }
    return text + more(Int(failingCount) - min(limit, failing.count))
  }

  private func more(_ count: Int) -> String { count > 0 ? "  and \(TerminalText.grouped(count)) more\n" : "" }

  private func words(_ run: PastRun) -> String {
    guard let ended = run.ended, let status = run.exitStatus else {
      return "\(time(run.started)), not ended: it goes on, or it was killed"
    }
    let meaning = ExitStatus(rawValue: status)?.meaning ?? "unknown"
    return "\(time(ended)), exit status \(status) (\(meaning))"
  }

  private func words(_ staleness: Staleness) -> String {
    switch staleness {
    case .neverFetched: "never fetched"
    case .missing: "fetched once, and missing now"
    case .placeholder: "the placeholder stands in for it"
    case .otherSource: "the manifest names another reference now"
    case .changed: "not as mirror wrote it"
    }
  }

  /// The time, and how long ago that is.
  private func time(_ time: Timestamp) -> String {
    "\(time.rfc3339(.seconds)) (\(Self.age(now - time)) ago)"
  }

  /// The two largest units: `3d 4h`.
  package static func age(_ duration: Duration) -> String {
    let seconds = max(0, duration.components.seconds)
    let parts = [(seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")]
    let rest = parts.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }
    return rest.isEmpty ? "0s" : rest.map { "\($0.0)\($0.1)" }.joined(separator: " ")
  }

  /// One document.
  package var json: [UInt8] {
    var json = JSONWriter(layout: .indented)
    json.beginObject()
    json.member("schema", "mirror.status/1")
    json.member("root", root)
    json.member("now", now.rfc3339())
    json.member("files", files)
    json.run("last_run", history.last)
    json.run("last_success", history.lastSuccess)
    json.member("failing_since", history.failingSince?.rfc3339())
    json.member("failed_runs", history.failedRuns)
    json.member("stale_count", staleCount)
    json.key("stale")
    json.beginArray()
    for item in stale {
      json.beginObject(onOneLine: true)
      json.member("to", item.destination)
      json.member("why", item.staleness.rawValue)
      json.endObject()
    }
    json.endArray()
    json.member("failing_count", failingCount)
    json.key("failing")
    json.beginArray()
    for entry in failing {
      json.beginObject(onOneLine: true)
      json.member("to", entry.place)
      json.member("reason", entry.reason.rawValue)
      json.member("message", entry.message)
      json.member("since", entry.since.rfc3339())
      json.member("runs", entry.runs)
      json.endObject()
    }
    json.endArray()
    json.endObject()
    json.newline()
    return json.takeBytes()
  }
}

extension JSONWriter {
  fileprivate mutating func run(_ name: StaticString, _ run: PastRun?) {
    guard let run else { return }
    key(name)
    beginObject(onOneLine: true)
    member("id", run.id)
    member("started", run.started.rfc3339())
    member("ended", run.ended?.rfc3339())
    member("exit", run.exitStatus)
    endObject()
  }
}
