// Writes a lock file: the same entries give the same bytes, in whatever order they came.

import TransferModel

/// Collects entries as the lines that they will be.
///
/// The document is made for people who merge it: one entry a line, in the byte order of the destinations, no time, no
/// name of a machine, nothing that depends on who wrote it.
package struct LockDraft: Sendable {
  private var lines: [UInt8] = []
  private var index = DocumentIndex()

  package init() {}

  package var count: Int { index.count }

  /// Adds an entry; each destination once.
  package mutating func add(_ entry: LockEntry) {
    let start = lines.count
    lines.append(contentsOf: entry.line)
    index.add(entry.destination.text, at: start..<lines.count)
  }

  /// The document, given to `sink` in pieces. Errors are the sink's.
  package mutating func write(to sink: ([UInt8]) throws -> Void) rethrows {
    let doubled = index.sort()
    precondition(doubled.isEmpty, "each destination is locked once")
    var piece = Array("{\n  \"schema\": \"\(LockFile.schema)\",\n  \"entries\": [".utf8)
    for place in 0..<index.count {
      piece.append(contentsOf: (place == 0 ? "\n    " : ",\n    ").utf8)
      piece.append(contentsOf: lines[index.range(at: place)])
      if piece.count >= ReportWriter.flushSize {
        try sink(piece)
        piece.removeAll(keepingCapacity: true)
      }
    }
    piece.append(contentsOf: (index.count == 0 ? "]\n}\n" : "\n  ]\n}\n").utf8)
    try sink(piece)
  }

  package var bytes: [UInt8] {
    var draft = self
    var document: [UInt8] = []
    draft.write { document += $0 }
    return document
  }
}
