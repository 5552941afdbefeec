// The sum of reports as one page that needs nothing else: no script, no font, no picture from anywhere.

import TransferModel

extension ReportDigest {
  /// A whole HTML document; every text of a report is escaped.
  package var html: String {
    let state = hasFailures ? "failed" : "done"
    var page = """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
      <title>mirror: \(state)</title>
      <style>\(Self.style)</style>
      <h1 class="\(state)">mirror: \(state)</h1>

      """
    page += table(
      "Runs", ["manifest", "host", "start", "end", "shard", "result"],
      runs.map { [$0.manifest, $0.host, $0.start, $0.end, $0.shard ?? "", Self.words($0)] })
    if let missing = missingWords { page += "<p class=\"failed\">\(missing)</p>\n" }
    let shown = totals.filter { $0.count > 0 || $0.word == "items" }
    page += table(
      "Totals", ["", "count"],
      shown.map { total in
        let count = total.word.hasPrefix("bytes") ? "\(ByteCount(total.count))" : TerminalText.grouped(Int(total.count))
        return [String(total.word.map { $0 == "_" ? " " : $0 }), count]
      })
    guard !reasons.isEmpty else { return page + "</html>\n" }
    page += table("Reasons", ["reason", "count"], reasons.map { [$0.word, TerminalText.grouped($0.count)] })
    page += table(
      "Failures", ["destination", "reason", "message", "what to do"],
      failures.map { [$0.place, $0.reason, $0.message, $0.hint ?? ""] })
    let more = reasons.reduce(0) { $0 + $1.count } - failures.count
    if more > 0 { page += "<p>and \(TerminalText.grouped(more)) more</p>\n" }
    return page + "</html>\n"
  }

  private static let style = """
    :root{color-scheme:light dark}
    body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
    .failed{color:#c0392b}h1.done{color:#1e8449}
    h2{font-size:1.1rem;margin:2rem 0 .5rem}
    .wide{overflow-x:auto}
    table{border-collapse:collapse;width:100%}
    th,td{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #8884}
    table{width:auto;min-width:50%}td{overflow-wrap:break-word}th{font-weight:600;white-space:nowrap}
    """

  private func table(_ title: String, _ heads: [String], _ rows: [[String]]) -> String {
    var text = "<h2>\(title)</h2>\n<div class=\"wide\"><table>\n<tr>"
    for head in heads { text += "<th scope=\"col\">\(head)</th>" }
    text += "</tr>\n"
    for row in rows {
      text += "<tr>" + row.map { "<td>\(Self.escape($0))</td>" }.joined() + "</tr>\n"
    }
    return text + "</table></div>\n"
  }

  /// Names are shown as in a terminal, then made safe for the page.
  private static func escape(_ text: String) -> String {
    var escaped = ""
    for scalar in TerminalText.escape(text).unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
