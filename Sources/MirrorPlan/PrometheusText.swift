// A run as metrics, for node_exporter's textfile collector: Prometheus' text format 0.0.4. Writing the file is the document's.

package import TransferModel

/// The last run of one mirror.
package struct PrometheusText: Sendable {
  /// Tells mirrors of one machine apart.
  package var root: String
  /// `k/n`; nil = the whole.
  package var shard: String?
  package var start: Timestamp
  package var end: Timestamp
  /// The end of the last run that ended well, this one included; nil = none is remembered.
  package var lastSuccess: Timestamp?
  package var exitStatus: Int32
  package var totals: ReportTotals

  package init(
    root: String, shard: String? = nil, start: Timestamp, end: Timestamp, lastSuccess: Timestamp?, exitStatus: Int32,
    totals: ReportTotals
  ) {
    self.root = root
    self.shard = shard
    self.start = start
    self.end = end
    self.lastSuccess = lastSuccess
    self.exitStatus = exitStatus
    self.totals = totals
  }

  /// All metrics are gauges: they are of one run, and the next one may have less of anything.
  package var text: String {
    var text = ""
    metric(&text, "timestamp_seconds", "When the last run ended, in seconds since 1970.", [("", Self.seconds(end))])
    metric(&text, "duration_seconds", "How long the last run took.", [("", (end - start).decimalSeconds)])
    metric(&text, "exit_status", "Exit status of the last run; 0 is success.", [("", "\(exitStatus)")])
    metric(
      &text, "entries", "Entries of the last run by how they ended.",
      Outcome.allCases.map { (",outcome=\"\($0.rawValue)\"", "\(totals[$0])") })
    metric(&text, "received_bytes", "Bytes that the last run received.", [("", "\(totals.bytes)")])
    metric(&text, "retries", "Requests of the last run beyond the first of each entry.", [("", "\(totals.retries)")])
    guard let lastSuccess else { return text }
    let name = "mirror_last_success_timestamp_seconds"
    text += "# HELP \(name) When the last run that ended well ended, in seconds since 1970.\n# TYPE \(name) gauge\n"
    return text + "\(name){\(label)} \(Self.seconds(lastSuccess))\n"
  }

  private static func seconds(_ time: Timestamp) -> String {
    (time - Timestamp(seconds: 0)).decimalSeconds
  }

  private func metric(
    _ text: inout String, _ name: String, _ help: String, _ samples: [(labels: String, value: String)]
  ) {
    let name = "mirror_last_run_\(name)"
    text += "# HELP \(name) \(help)\n# TYPE \(name) gauge\n"
    for sample in samples { text += "\(name){\(label)\(sample.labels)} \(sample.value)\n" }
  }

  /// Shards of one root have files of their own, and a series must not be in two.
  private var label: String {
    "root=\"\(Self.escaped(root))\"" + (shard.map { ",shard=\"\(Self.escaped($0))\"" } ?? "")
  }

  /// A label's value: backslash, quotation mark and line feed are escaped.
  static func escaped(_ value: String) -> String {
    var escaped = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
