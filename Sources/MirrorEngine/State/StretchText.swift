// The stretches of a part as one text: `0-1048576,4194304-5242880`, each from its first byte to the one behind its last.

import TransferModel

enum StretchText {
  static func write(_ stretches: [Range<Int64>]) -> String {
    stretches.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ",")
  }

  /// nil for what `write` never writes: out of order, overlapping, empty stretches.
  static func read(_ text: String) -> [Range<Int64>]? {
    var stretches: [Range<Int64>] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) where !text.isEmpty {
      let ends = word.split(separator: "-", omittingEmptySubsequences: false)
      guard ends.count == 2, let first: Int64 = ASCII.number(ends[0].utf8), let end: Int64 = ASCII.number(ends[1].utf8),
        first < end, first >= stretches.last?.upperBound ?? 0
      else { return nil }
      stretches.append(first..<end)
    }
    return stretches
  }
}
