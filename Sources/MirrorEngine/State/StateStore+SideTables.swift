// Part files, hosts and runs: rare writes, each committed at once.

package import TransferModel

extension StateStore {
  // MARK: Part files

  /// Remembers a part file, so that a later run can go on with it.
  ///
  /// - durably: even after a power failure; costs a sync.
  package func keep(_ part: PartRecord, durably: Bool = false) throws(TransferFailure) {
    try write { database throws(SQLiteError) in
      guard durably else { return try database.sideTables.put(part) }
      try database.sideTables.durably { () throws(SQLiteError) in try database.sideTables.put(part) }
    }
  }

  /// Forgets a part file: it was put in place, or deleted.
  package func dropPart(for destination: RelativePath, durably: Bool = false) throws(TransferFailure) {
    try write { database throws(SQLiteError) in
      guard durably else { return try database.sideTables.dropPart(for: destination) }
      try database.sideTables.durably { () throws(SQLiteError) in
        try database.sideTables.dropPart(for: destination)
      }
    }
  }

  package func part(for destination: RelativePath) throws(TransferFailure) -> PartRecord? {
    try read(orElse: nil) { database throws(SQLiteError) in try database.sideTables.part(for: destination) }
  }

  /// All part files, in byte order of their destinations.
  package func parts() throws(TransferFailure) -> [PartRecord] {
    try read(orElse: []) { database throws(SQLiteError) in try database.sideTables.parts() }
  }

  // MARK: Hosts

  package func record(_ host: HostRecord) throws(TransferFailure) {
    try write { database throws(SQLiteError) in try database.sideTables.put(host) }
  }

  package func host(_ origin: Origin) throws(TransferFailure) -> HostRecord? {
    try read(orElse: nil) { database throws(SQLiteError) in try database.sideTables.host(origin.description) }
  }

  // MARK: Runs

  /// Writes a run's record, at its start and again at its end; the newest 200 are kept.
  package func record(_ run: RunRecord) throws(TransferFailure) {
    try write { database throws(SQLiteError) in try database.sideTables.put(run) }
  }

  /// The newest runs first.
  package func runs(limit: Int) throws(TransferFailure) -> [RunRecord] {
    try read(orElse: []) { database throws(SQLiteError) in try database.sideTables.runs(limit: limit) }
  }
}
