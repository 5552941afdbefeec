// Rates under `limits:`: one for all times, or a table by the time of day.

import TransferModel

extension ManifestValidator {
  /// The rate behind a key; no limit where there is none, or where it is broken, which has been reported.
  mutating func table(
    _ fields: Fields<LimitKey>, _ tables: [LimitKey: ListDraft<RateRowDraft>], _ key: LimitKey
  ) -> RateTable {
    guard let list = tables[key] else { return RateTable(rate(fields[key], key) ?? 0) }
    var rows: [RateTable.Row] = []
    var spans: [Int: SourceSpan] = [:]
    for row in list.elements {
      let second = read(
        row.fields[.from], as: "time of day", hint: "write it as \"08:00\", from 00:00 to 23:59, in local time",
        RateTable.second(ofTime:))
      guard let second, let rate = rate(row.fields[.rate], key) else { continue }
      if let first = spans[second] {
        diagnostics.error(
          row.fields[.from]?.span ?? row.span, "two rows of `\(key.spelling)` begin at the same time",
          hint: "the first is at line \(first.line); remove one of them")
        continue
      }
      spans[second] = row.span
      rows.append(RateTable.Row(from: second, rate: rate))
    }
    if list.elements.isEmpty {
      diagnostics.error(
        list.span, "`\(key.spelling)` is an empty table", hint: "write a rate, or leave it out for no limit")
    }
    return (try? RateTable(rows)) ?? 0
  }

  /// Units a second: bytes, or requests.
  private mutating func rate(_ field: LocatedText?, _ key: LimitKey) -> Int64? {
    switch key {
    case .requests, .requestsPerHost: number(field, key.spelling, in: 0...1_000_000)
    case .jobs, .rate, .memory, .perHost, .ratePerHost: rate(field)?.bytes
    }
  }
}
