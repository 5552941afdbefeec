// An explanation for people, and as JSON, `mirror.explain/1`.

import TransferModel

extension Explanation {
  /// Lines, each with its line break.
  package var text: String {
    var text = TerminalText.escape(entry.destination.text) + "\n"
    func line(_ name: String, _ value: String) {
      text += "  \(name)\(String(repeating: " ", count: max(1, 10 - name.utf8.count)))\(value)\n"
    }
    line("wanted", wanted)
    line("local", Self.words(local))
    line("recorded", recorded.map { Self.words($0) } ?? "nothing")
    line("remote", Self.words(remote))
    if let locked { line("locked", Self.words(locked.version)) }
    text += "apply\n"
    for ruling in rulings {
      line(ruling.rule == .question ? "look" : "row \(ruling.rule.rawValue)", ruling.rule.words)
      line("", "-> " + Self.words(ruling.verdict))
    }
    line("asks", requests.isEmpty ? "nothing" : requests.joined(separator: "; "))
    text += "plan\n"
    line("says", Self.words(decision))
    if let failure = decision.failure {
      line("because", failure.message)
      failure.hint.map { line("hint", $0) }
    }
    return text
  }

  private var wanted: String {
    var parts = [entry.references.map { TerminalText.escape($0.display) }.joined(separator: ", or ")]
    if let tree { parts.append("of the tree \(TerminalText.escape(tree))") }
    switch entry.declaration {
    case .item(let mark), .tree(let mark): parts.append("line \(mark.line) of the manifest")
    }
    for pin in entry.pins.all { parts.append("pinned \(pin)") }
    if let generation = entry.generation { parts.append("generation \(generation)") }
    if let size = entry.size { parts.append("\(size.bytes) bytes") }
    return parts.joined(separator: "; ")
  }

  private static func words(_ local: LocalFact) -> String {
    switch local {
    case .absent: return "nothing is there"
    case .directory: return "a directory"
    case .symlink: return "a symbolic link"
    case .other: return "something that is no file"
    case .file(let stamp, let mode):
      let modified = Timestamp(seconds: stamp.modified / 1_000_000_000)
      return "a file; \(stamp.size) bytes; modified \(modified.rfc3339(.seconds)); mode \(String(mode, radix: 8))"
    }
  }

  private static func words(_ recorded: RecordedFile) -> String {
    if recorded.isPlaceholder { return "the manifest's placeholder" }
    var parts = [words(recorded.version)]
    parts.append("proven \(recorded.proven.rfc3339(.seconds))")
    parts.append("from \(TerminalText.escape(recorded.source))")
    return parts.joined(separator: "; ")
  }

  private static func words(_ remote: RemoteFact) -> String {
    switch remote {
    case .notAsked: "not asked"
    case .absent: "there is no such object"
    case .failed(let failure): "it could not be found out: \(failure.message) [\(failure.reason.rawValue)]"
    case .present(let version): words(version)
    }
  }

  private static func words(_ version: ObjectVersion) -> String {
    var parts: [String] = []
    if let generation = version.generation { parts.append("generation \(generation)") }
    if let size = version.size { parts.append("\(size) bytes") }
    if let etag = version.etag { parts.append("ETag \(TerminalText.escape(etag))") }
    if let date = version.lastModified { parts.append("modified \(date.rfc3339(.seconds))") }
    parts += version.digests.all.map(\.description)
    return parts.isEmpty ? "an object of which nothing is known" : parts.joined(separator: "; ")
  }

  private static func words(_ verdict: Verdict) -> String {
    switch verdict {
    case .needsRemote: "ask what is there"
    case .needsLocalDigests(let algorithms):
      "read the file for its \(algorithms.map(\.rawValue).sorted().joined(separator: " and "))"
    case .decided(let decision): words(decision)
    }
  }

  private static func words(_ decision: Decision) -> String {
    var text = "\(decision.action.rawValue), \(String(decision.reason.text.map { $0 == "_" ? " " : $0 }))"
    if decision.comparedBy != .none { text += ", by \(decision.comparedBy.rawValue)" }
    return text
  }

  /// One document.
  package var json: [UInt8] {
    var json = JSONWriter(layout: .indented)
    json.beginObject()
    json.member("schema", "mirror.explain/1")
    json.member("to", entry.destination.text)
    json.member("ref", entry.references[0].display)
    json.member("tree", tree)
    json.key("facts")
    PlanFacts(local: local, remote: remote).write(to: &json)
    if let recorded { write(recorded, to: &json) }
    if let locked {
      json.key("locked")
      json.beginObject(onOneLine: true)
      json.member("generation", locked.generation.map { String($0) })
      json.member("size", locked.size)
      json.hashes(locked.digests)
      json.endObject()
    }
    json.key("rulings")
    json.beginArray()
    for ruling in rulings {
      json.beginObject(onOneLine: true)
      json.member("row", ruling.rule.rawValue)
      json.member("condition", ruling.rule.words)
      json.member("verdict", Self.words(ruling.verdict))
      json.endObject()
    }
    json.endArray()
    json.key("requests")
    json.beginArray()
    for request in requests { json.string(request) }
    json.endArray()
    json.member("action", decision.action.rawValue)
    json.member("reason", decision.reason.text)
    json.member("compared_by", decision.comparedBy.rawValue)
    if let failure = decision.failure {
      json.key("error")
      json.error(failure)
    }
    json.endObject()
    json.newline()
    return json.takeBytes()
  }

  private func write(_ recorded: RecordedFile, to json: inout JSONWriter) {
    json.key("recorded")
    json.beginObject()
    json.member("ref", recorded.source)
    json.member("generation", recorded.version.generation.map { String($0) })
    json.member("etag", recorded.version.etag)
    json.member("size", recorded.stamp.size)
    json.member("proven", recorded.proven.rfc3339())
    json.member("placeholder", recorded.isPlaceholder)
    json.hashes(recorded.digests)
    json.endObject()
  }
}
