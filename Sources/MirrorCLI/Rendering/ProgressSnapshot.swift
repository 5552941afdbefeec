// How far a run has come, as one value: what the progress display is drawn from.

/// The state of a run at one moment. Names are raw: escaping is the renderer's duty.
struct ProgressSnapshot: Hashable, Sendable {
  /// One transfer that is going on.
  struct Transfer: Hashable, Sendable {
    enum Phase: Hashable, Sendable {
      case receiving
      /// Between two attempts.
      case waiting(reason: String, left: Duration)
    }

    var destination: String
    var bytes: Int64
    /// nil when the server did not say.
    var totalBytes: Int64?
    var phase = Phase.receiving
  }

  var itemsDone: Int
  /// nil while trees are still being listed.
  var itemsTotal: Int?
  var itemsFailed: Int
  var bytesDone: Int64
  /// nil while some size is not known.
  var bytesTotal: Int64?
  /// Bytes a second over the last seconds; nil when too little was seen.
  var rate: Double?
  /// Oldest first.
  var transfers: [Transfer] = []

  /// 0...1, by bytes where their total is known, else by items; nil when neither is.
  var fraction: Double? {
    if let bytesTotal, bytesTotal > 0 { return min(1, max(0, Double(bytesDone) / Double(bytesTotal))) }
    if let itemsTotal, itemsTotal > 0 { return min(1, max(0, Double(itemsDone) / Double(itemsTotal))) }
    return nil
  }

  /// How long the missing bytes take at the present rate; nil when that cannot be told.
  var timeLeft: Duration? {
    guard let bytesTotal, let rate, rate >= 1, bytesTotal >= bytesDone else { return nil }
    let seconds = Double(bytesTotal - bytesDone) / rate
    return seconds < 100 * 86_400 ? .seconds(Int64(seconds.rounded(.up))) : nil
  }
}
