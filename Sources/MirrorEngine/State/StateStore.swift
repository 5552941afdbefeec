// The state as the rest of the engine sees it: rows in, rows out, from any thread. Deciding what a row means is the
// planner's; when the disk is synced is the executor's, by `beforeCommit`.

import MirrorPlan
package import TransferModel

/// What earlier runs proved, kept in `root/.mirror/state.db`.
///
/// It is a cache. A file that is damaged, another program's or of a later version is moved aside with a notice, at the
/// start or in the middle of a run, and rebuilding it costs reading local files, never a download.
///
/// **Threads.** Any. Three locks, always taken in this order: `committing` makes transactions follow each other,
/// `database` keeps a connection to one thread at a time, `queue` is held for a dictionary access only. The first two
/// are held while the disk works, so calls that reach the disk may block for as long as `beforeCommit` and a
/// transaction take; call them from a thread that may block.
///
/// **Not guaranteed.** Rows that were recorded and not flushed are lost when the process ends, also by `deinit`.
package final class StateStore: Sendable {
  package struct Options: Sendable {
    /// How many rows make a transaction. 1,000 rows cost 5–7 µs each where single ones cost 34 µs and more.
    package var batchSize = 1_000
    /// The longest that a row waits for others, as long as rows come: what a run that is killed did not commit is read
    /// again by the next.
    package var longestWait = Duration.seconds(5)
    /// The clock for that; by default none runs, and rows wait for a whole batch.
    package var now: @Sendable () -> MonotonicInstant = { MonotonicInstant(sinceOrigin: .zero) }
    /// Called before every transaction of rows, by the thread that commits; syncs the tree, so that the state never
    /// claims what the disk does not have. When it throws, nothing is committed. Must not call the store.
    package var beforeCommit: @Sendable () throws(TransferFailure) -> Void = {}
    /// Told of every notice, at opening or later, by the thread that met it; no lock is held.
    package var notify: @Sendable (StateNotice) -> Void = { _ in }
    /// What a state that is made begins with; nil = nothing.
    var seed: StateSeed?

    package init() {}
  }

  package let location: StateLocation
  package let access: StateAccess
  private let options: Options
  private let committing = Lock(Exclusive())
  /// nil when there is nothing to read, or after `close`.
  let database: Lock<StateDatabase?>
  private let queue: Lock<StateQueue>

  /// Opens the state below a root that exists. For reading, nothing is made and an absent state is empty.
  /// - Throws: `.local` failures when it was to be written and the machine would not let us.
  package init(_ location: StateLocation, access: StateAccess, options: Options = Options()) throws(TransferFailure) {
    self.location = location
    self.access = access
    self.options = options
    var notices: [StateNotice] = []
    database = Lock(try Self.open(location, access, options.seed, &notices))
    queue = Lock(StateQueue(batchSize: options.batchSize, longestWait: options.longestWait))
    notices.forEach(options.notify)
  }

  private static func open(
    _ location: StateLocation, _ access: StateAccess, _ seed: StateSeed?, _ notices: inout [StateNotice]
  ) throws(TransferFailure) -> sending StateDatabase? {
    switch access {
    case .write: try StateDatabase.forWriting(location, notices: &notices, seed: seed)
    case .read: try StateDatabase.forReading(location, notices: &notices)
    }
  }

  // MARK: Rows out

  /// The row of a destination, also when it has not been committed yet.
  package func row(for destination: RelativePath) throws(TransferFailure) -> StateRow? {
    if let pending = queue.withLock({ $0.pending(for: destination) }) { return pending }
    return try read(orElse: nil) { database throws(SQLiteError) in try database.row(for: destination) }
  }

  /// The rows of those destinations, in their order, nil for one that has none; for a few thousand at most, beyond which
  /// `rows(withPrefix:)` is faster. All in one transaction: each of its own would take and leave the file's lock.
  package func rows(for destinations: [RelativePath]) throws(TransferFailure) -> [StateRow?] {
    // What waits is asked first: what does not wait any more by then is committed.
    let pending = queue.withLock { queue in
      queue.hasPending ? destinations.map { queue.pending(for: $0) } : nil
    }
    let nothing = [StateRow?](repeating: nil, count: destinations.count)
    let rows = try read(orElse: nothing) { database throws(SQLiteError) in try database.rows(for: destinations) }
    guard let pending else { return rows }
    return zip(pending, rows).map { $0 ?? $1 }
  }

  /// The committed rows whose destination begins with these bytes, in byte order; all when the prefix is empty.
  package func rows(withPrefix prefix: String = "") -> StateCursor {
    StateCursor(of: self, prefix: prefix)
  }

  /// How many rows are committed.
  package func rowCount() throws(TransferFailure) -> Int64 {
    try read(orElse: 0) { database throws(SQLiteError) in try database.rowCount() }
  }

  // MARK: Rows in

  /// Queues a row, over an earlier one of the same destination; commits when a batch is full or has waited for long.
  package func record(_ row: StateRow) throws(TransferFailure) {
    let now = options.now()
    let isDue = queue.withLock { queue in
      queue.put(row, at: now)
      return queue.isDue(at: now)
    }
    try commitIfDue(isDue, now)
  }

  /// Queues the removal of a row; no row is no error.
  package func forget(_ destination: RelativePath) throws(TransferFailure) {
    let now = options.now()
    let isDue = queue.withLock { queue in
      queue.drop(destination, at: now)
      return queue.isDue(at: now)
    }
    try commitIfDue(isDue, now)
  }

  /// Commits all that is queued. After a failure the rows stay queued, and a later call tries them again.
  package func flush() throws(TransferFailure) { try commit { _ in true } }

  /// Commits what is queued and closes the file; reads find nothing afterwards, and writes fail.
  package func close() throws(TransferFailure) {
    if access == .write { try flush() }
    database.withLock { $0 = nil }
  }

  private func commitIfDue(_ isDue: Bool, _ now: MonotonicInstant) throws(TransferFailure) {
    // Asked again under the lock: another thread may have committed meanwhile.
    if isDue { try commit { $0.isDue(at: now) } }
  }

  private func commit(if isDue: (StateQueue) -> Bool) throws(TransferFailure) {
    try committing.withLock { _ throws(TransferFailure) in
      let batch = queue.withLock { isDue($0) ? $0.take() : StateChanges() }
      if batch.isEmpty { return }
      do throws(TransferFailure) {
        try options.beforeCommit()
        try write { database throws(SQLiteError) in try database.commit(batch) }
      } catch {
        queue.withLock { $0.failed(at: options.now()) }
        throw error
      }
      queue.withLock { $0.written() }
    }
  }

  // MARK: The connection

  /// Runs `body` on the connection; `otherwise` is the answer when there is none.
  func read<Answer>(
    orElse otherwise: Answer, _ body: (StateDatabase) throws(SQLiteError) -> Answer
  ) throws(TransferFailure) -> Answer {
    try withDatabase("read", body) ?? otherwise
  }

  /// Runs `body`, which changes the database, on the connection.
  func write(_ body: (StateDatabase) throws(SQLiteError) -> Void) throws(TransferFailure) {
    guard access == .write, try withDatabase("write", body) != nil else {
      throw TransferFailure(.internalError, .local, "the state \(location.file) is not open for writing")
    }
  }

  /// Runs `body`; when it finds the database damaged, once more on a new one.
  private func withDatabase<Answer>(
    _ operation: String, _ body: (StateDatabase) throws(SQLiteError) -> Answer
  ) throws(TransferFailure) -> Answer? {
    var notices: [StateNotice] = []
    defer { notices.forEach(options.notify) }
    return try database.withLock { current throws(TransferFailure) -> Answer? in
      guard let opened = current else { return nil }
      do throws(SQLiteError) {
        return try body(opened)
      } catch {
        guard error.meaning == .damaged else { throw error.failure(operation, at: location.file) }
        current = nil
        current = try replaceDamaged(error, &notices)
      }
      guard let fresh = current else { return nil }
      do throws(SQLiteError) {
        return try body(fresh)
      } catch {
        throw error.failure(operation, at: location.file)
      }
    }
  }

  private func replaceDamaged(
    _ error: SQLiteError, _ notices: inout [StateNotice]
  ) throws(TransferFailure) -> StateDatabase? {
    let problem = "is damaged (\(error.message))"
    guard access == .write else {
      notices.append(StateDatabase.unusedNotice(location, problem: problem))
      return nil
    }
    try StateDatabase.moveAside(location, problem: problem, notices: &notices)
    return try StateDatabase.forWriting(location, notices: &notices, seed: options.seed)
  }
}
