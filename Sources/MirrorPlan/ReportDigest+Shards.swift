// Which runs of a shared work no report speaks of: a machine that never started says nothing by itself.

extension ReportDigest {
  /// The shards of each division that some of the reports are of and none of them is, in order. A run of the whole, such as
  /// `mirror finalize`, is of no division.
  package var missingShards: [Shard] {
    let present = Set(runs.compactMap { $0.shard.flatMap { Shard(parsing: $0) } })
    let counts = Set(present.map(\.count)).sorted()
    return counts.flatMap { count in
      (1...count).compactMap { Shard($0, of: count) }.filter { !present.contains($0) }
    }
  }

  /// `no report of shard 3/8, 7/8`; nil when none is missing. Names a few, and counts the rest.
  var missingWords: String? {
    let missing = missingShards
    guard !missing.isEmpty else { return nil }
    let shown = missing.prefix(Self.shownShards).map(\.description).joined(separator: ", ")
    let more = missing.count - Self.shownShards
    return "no report of shard \(shown)" + (more > 0 ? " and \(more) more" : "")
  }

  private static var shownShards: Int { 10 }
}
