// The sum of reports for programs.

import TransferModel

extension ReportDigest {
  /// One document, `mirror.summary/1`: the runs, their totals added up, the reasons of failures with how many of each, the
  /// first failures, and the exit status that all of them would have as one run.
  package var json: [UInt8] {
    var writer = JSONWriter(layout: .indented)
    writer.beginObject()
    writer.member("schema", "mirror.summary/1")
    writer.key("runs")
    writer.beginArray()
    for run in runs { Self.write(run, to: &writer) }
    writer.endArray()
    writer.key("missing_shards")
    writer.beginArray(onOneLine: true)
    for shard in missingShards { writer.string(shard.description) }
    writer.endArray()
    writer.member("exit", exit.map { Int64($0.rawValue) })
    writer.counts("totals", totals)
    writer.counts("reasons", reasons)
    writer.key("failures")
    writer.beginArray()
    for failure in failures { Self.write(failure, to: &writer) }
    writer.endArray()
    writer.endObject()
    writer.newline()
    return writer.bytes
  }

  /// As of one run; nil when a run has none that this version knows.
  private var exit: ExitStatus? {
    var statuses: [ExitStatus] = []
    for run in runs {
      guard let status = run.exit.flatMap({ ExitStatus(rawValue: $0) }) else { return nil }
      statuses.append(status)
    }
    return ExitStatus.of(statuses)
  }

  private static func write(_ run: Run, to writer: inout JSONWriter) {
    writer.beginObject(onOneLine: true)
    writer.member("file", run.name)
    writer.member("id", run.id)
    writer.member("manifest", run.manifest)
    writer.member("shard", run.shard)
    writer.member("host", run.host)
    writer.member("start", run.start)
    writer.member("end", run.end)
    writer.member("exit", run.exit.map { Int64($0) })
    writer.endObject()
  }

  private static func write(_ failure: Failure, to writer: inout JSONWriter) {
    writer.beginObject(onOneLine: true)
    writer.member("to", failure.place.isEmpty ? nil : failure.place)
    writer.member("reason", failure.reason)
    writer.member("message", failure.message)
    writer.member("hint", failure.hint)
    writer.endObject()
  }
}

extension JSONWriter {
  fileprivate mutating func counts(_ name: StaticString, _ counts: [(word: String, count: some BinaryInteger)]) {
    key(name)
    beginObject()
    for (word, count) in counts {
      key(named: word)
      integer(count)
    }
    endObject()
  }
}
