// A written plan, read back: what was decided for every entry, and from which facts. Writing it is `PlanDocument.swift`.

package import TransferModel

/// A document `mirror.plan/1` whose every row has been checked; rows are looked up in the document itself.
package struct PlanFile: Sendable {
  package let header: PlanHeader
  private let bytes: [UInt8]
  private let index: DocumentIndex

  init(header: PlanHeader, bytes: [UInt8], index: DocumentIndex) {
    self.header = header
    self.bytes = bytes
    self.index = index
  }

  package var count: Int { index.count }
  package func place(of path: RelativePath) -> Int? { index.place(of: path) }

  /// nil cannot be: the row was read before. Asked for a place below `count`.
  package func row(at place: Int) -> PlanRow? {
    var reader = JSONReader(Array(bytes[index.range(at: place)]))
    return try? PlanRow(reading: &reader)
  }

  /// Why the plan cannot be done with this manifest and root; nil when it can.
  package func refusal(manifestDigest: Digest?, root: String) -> TransferFailure? {
    let hint = "Plan again: `mirror plan -o FILE MANIFEST`."
    guard let planned = header.manifestDigest, let manifestDigest, planned == manifestDigest else {
      return TransferFailure(
        .factsMoved, .permanent,
        "the plan was made from another manifest than this one (\(TerminalText.escape(header.manifestPath)), sha256 "
          + "\(header.manifestDigest?.hex ?? "unknown"))", hint: hint)
    }
    guard let plannedRoot = header.root, plannedRoot.utf8.elementsEqual(root.utf8) else {
      return TransferFailure(
        .factsMoved, .permanent,
        "the plan was made for the root \(TerminalText.escape(header.root ?? "unknown")), and this is "
          + "\(TerminalText.escape(root))", hint: hint)
    }
    return nil
  }
}

/// One row of a written plan.
package struct PlanRow: Hashable, Sendable {
  package var destination: String
  package var action: Action
  /// The stable word.
  package var reason: String
  package var facts: PlanFacts?
  /// Whether the entry had failed when it was planned.
  package var hasFailed: Bool
}

package enum PlanReader {
  /// Reads a plan row by row.
  ///
  /// Throws where the text is no plan of ours, with the byte at which that shows.
  package static func read(_ bytes: [UInt8]) throws(JSONError) -> PlanFile {
    var reader = JSONReader(bytes)
    var header = PlanHeader(version: "", manifestPath: "", manifestDigest: nil, made: Timestamp(seconds: 0))
    var index = DocumentIndex()
    var hasSchema = false
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch key {
      case "schema":
        let place = reader.offset
        guard try reader.readString() == PlanDocument.schema else {
          throw JSONError("this is no \(PlanDocument.schema)", offset: place)
        }
        hasSchema = true
      case "version": header.version = try reader.readString()
      case "root": header.root = try reader.readString()
      case "made": header.made = Timestamp(rfc3339: try reader.readString()) ?? header.made
      case "manifest": try read(&header, &reader)
      case "rows": try readRows(&reader, &index)
      default: try reader.skipValue()
      }
    }
    try reader.finish()
    guard hasSchema else { throw JSONError("this is no \(PlanDocument.schema)", offset: 0) }
    if let double = index.sort().first {
      throw JSONError("`\(TerminalText.escape(double.name))` is planned twice", offset: double.second.lowerBound)
    }
    return PlanFile(header: header, bytes: bytes, index: index)
  }

  private static func read(_ header: inout PlanHeader, _ reader: inout JSONReader) throws(JSONError) {
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch key {
      case "path": header.manifestPath = try reader.readString()
      case "sha256": header.manifestDigest = try? Digest(parsing: try reader.readString(), as: .sha256)
      default: try reader.skipValue()
      }
    }
  }

  private static func readRows(_ reader: inout JSONReader, _ index: inout DocumentIndex) throws(JSONError) {
    try reader.beginArray()
    while try reader.nextElement() {
      guard try reader.peek() == .object else { throw JSONError("expected an object", offset: reader.offset) }
      let start = reader.offset
      let row = try PlanRow(reading: &reader)
      // For what had failed nothing was planned.
      if !row.hasFailed { index.add(row.destination, at: start..<reader.offset) }
    }
  }
}

extension PlanRow {
  init(reading reader: inout JSONReader) throws(JSONError) {
    let start = reader.offset
    var destination, reason: String?
    var action: Action?
    var facts: PlanFacts?
    var hasFailed = false
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch key {
      case "to": destination = try reader.readString()
      case "action":
        let place = reader.offset
        action = Action(rawValue: try reader.readString())
        if action == nil { throw JSONError("no such action", offset: place) }
      case "reason": reason = try reader.readString()
      case "facts": facts = try PlanFacts(reading: &reader)
      case "error":
        hasFailed = true
        try reader.skipValue()
      default: try reader.skipValue()
      }
    }
    guard let destination, let action, let reason else {
      throw JSONError("a row needs `to`, `action` and `reason`", offset: start)
    }
    self.init(destination: destination, action: action, reason: reason, facts: facts, hasFailed: hasFailed)
  }
}
