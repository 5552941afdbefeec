// The small tables beside `files`: part files, hosts, runs. A few rows each, so each write is a transaction of its own.

import MirrorPlan
import TransferModel

/// Reads and writes `parts`, `hosts` and `runs`. Belongs to its connection's thread.
struct SideTables {
  /// How many runs are remembered, beside the last one that ended well.
  static let runsKept: Int64 = 200

  private let connection: SQLiteConnection
  private let putPart, dropPart, onePart, allParts: SQLiteStatement
  private let putHost, oneHost: SQLiteStatement
  private let putRun, trimRuns, newestRuns: SQLiteStatement

  private static let partColumns = """
    path, temporary, source, validator, validator_text, validator_number, validator_ns, total, bytes, noted, noted_ns,
    stretches
    """
  private static let runColumns = """
    id, started, started_ns, ended, ended_ns, exit, transferred, unchanged, deleted, failed, bytes
    """

  init(_ connection: SQLiteConnection) throws(SQLiteError) {
    self.connection = connection
    putPart = try connection.prepare(
      "REPLACE INTO parts (\(Self.partColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    dropPart = try connection.prepare("DELETE FROM parts WHERE path = ?")
    onePart = try connection.prepare("SELECT \(Self.partColumns) FROM parts WHERE path = ?")
    allParts = try connection.prepare("SELECT \(Self.partColumns) FROM parts ORDER BY path")
    putHost = try connection.prepare("REPLACE INTO hosts (origin, refuses_ranges, noted, noted_ns) VALUES (?, ?, ?, ?)")
    oneHost = try connection.prepare("SELECT origin, refuses_ranges, noted, noted_ns FROM hosts WHERE origin = ?")
    putRun = try connection.prepare(
      "REPLACE INTO runs (\(Self.runColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    let successes = ExitStatus.allCases.filter(\.isSuccess).map { "\($0.rawValue)" }.joined(separator: ", ")
    trimRuns = try connection.prepare(
      """
      DELETE FROM runs
      WHERE id NOT IN (SELECT id FROM runs ORDER BY started DESC, started_ns DESC, id DESC LIMIT ?)
        AND id NOT IN (
          SELECT id FROM runs WHERE exit IN (\(successes))
          ORDER BY started DESC, started_ns DESC, id DESC LIMIT 1)
      """)
    newestRuns = try connection.prepare(
      "SELECT \(Self.runColumns) FROM runs ORDER BY started DESC, started_ns DESC, id DESC LIMIT ?")
  }

  // MARK: Parts

  func put(_ part: PartRecord) throws(SQLiteError) {
    part.bind(to: putPart)
    try putPart.run()
  }

  func dropPart(for destination: RelativePath) throws(SQLiteError) {
    dropPart.bind(Array(destination.text.utf8), at: 0)
    try dropPart.run()
  }

  /// Runs `body` so that what it writes survives a power failure (sqlite.org/pragma.html#pragma_synchronous).
  func durably(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
    try connection.execute("PRAGMA synchronous = FULL")
    do throws(SQLiteError) {
      try body()
    } catch {
      try connection.execute("PRAGMA synchronous = NORMAL")
      throw error
    }
    try connection.execute("PRAGMA synchronous = NORMAL")
  }

  func part(for destination: RelativePath) throws(SQLiteError) -> PartRecord? {
    defer { onePart.reset() }
    onePart.bind(Array(destination.text.utf8), at: 0)
    return try onePart.step() ? PartRecord(reading: onePart) : nil
  }

  func parts() throws(SQLiteError) -> [PartRecord] {
    defer { allParts.reset() }
    var parts: [PartRecord] = []
    while try allParts.step() {
      if let part = PartRecord(reading: allParts) { parts.append(part) }
    }
    return parts
  }

  // MARK: Hosts

  func put(_ host: HostRecord) throws(SQLiteError) {
    putHost.bind(host.origin, at: 0)
    putHost.bind(host.refusesRanges ? 1 : 0, at: 1)
    putHost.bind(host.noted, at: 2)
    try putHost.run()
  }

  func host(_ origin: String) throws(SQLiteError) -> HostRecord? {
    defer { oneHost.reset() }
    oneHost.bind(origin, at: 0)
    guard try oneHost.step(), let origin = oneHost.text(at: 0), let refuses = oneHost.integer(at: 1),
      let noted = oneHost.timestamp(at: 2)
    else { return nil }
    return HostRecord(origin: origin, refusesRanges: refuses != 0, noted: noted)
  }

  // MARK: Runs

  /// Writes a run's record, over an earlier one of the same id, and forgets the oldest beyond `runsKept`, but for the last
  /// that ended well.
  func put(_ run: RunRecord) throws(SQLiteError) {
    try connection.transaction { () throws(SQLiteError) in
      run.bind(to: putRun)
      try putRun.run()
      trimRuns.bind(Self.runsKept, at: 0)
      try trimRuns.run()
    }
  }

  /// The newest first.
  func runs(limit: Int) throws(SQLiteError) -> [RunRecord] {
    defer { newestRuns.reset() }
    newestRuns.bind(Int64(max(0, limit)), at: 0)
    var runs: [RunRecord] = []
    while try newestRuns.step() {
      if let run = RunRecord(reading: newestRuns) { runs.append(run) }
    }
    return runs
  }
}
