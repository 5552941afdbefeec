// The spelling of durations on the command line: `30s`, `5m`, `1h30m`, `7d`.

extension Duration {
  private static let units: [(suffix: Substring, seconds: Int64)] = [("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400)]

  /// Reads whole numbers with the units `ms`, `s`, `m`, `h` and `d`, several in a row (`1h30m`); nil for anything else, for
  /// a bare number other than 0, and for more than about 290 million years.
  init?(argument text: String) {
    guard text != "0" else {
      self = .zero
      return
    }
    var rest = Substring(text)
    var seconds: Int64 = 0
    var milliseconds: Int64 = 0
    guard !rest.isEmpty else { return nil }
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      guard let number = Int64(digits) else { return nil }
      rest = rest[digits.endIndex...]
      let suffix = rest.prefix { !$0.isNumber }
      rest = rest[suffix.endIndex...]
      if suffix == "ms" {
        milliseconds = number
        continue
      }
      guard let unit = Self.units.first(where: { $0.suffix == suffix }) else { return nil }
      let (product, tooLarge) = number.multipliedReportingOverflow(by: unit.seconds)
      let (sum, overflow) = seconds.addingReportingOverflow(product)
      guard !tooLarge, !overflow, sum < 1 << 53 else { return nil }
      seconds = sum
    }
    self = .seconds(seconds) + .milliseconds(milliseconds)
  }
}
