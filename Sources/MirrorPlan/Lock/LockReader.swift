// Reads a lock file that people may have merged by hand: what is wrong is said with its line.

import TransferModel

package enum LockReader {
  /// The lock file, or what is wrong with it.
  package static func read(_ bytes: [UInt8]) -> (lock: LockFile?, diagnostics: [Diagnostic]) {
    let source = SourceText(bytes)
    let conflicts = conflictMarkers(source)
    guard conflicts.isEmpty else { return (nil, conflicts) }
    var findings = DiagnosticList()
    var index = DocumentIndex()
    do throws(JSONError) {
      try read(bytes, &index) { message, offset, hint in
        findings.add(Diagnostic(at: source.mark(ofByte: offset), message, hint: hint))
      }
    } catch {
      findings.add(
        Diagnostic(
          at: source.mark(ofByte: error.offset), "the lock file is not valid JSON here: \(error.message)",
          hint: "mend it, or write it anew with `mirror lock`"))
    }
    for double in index.sort() {
      findings.add(
        Diagnostic(
          at: source.mark(ofByte: double.second.lowerBound),
          "`\(TerminalText.escape(double.name))` is locked twice, first in line "
            + "\(source.mark(ofByte: double.first.lowerBound).line)",
          hint: "keep one of the two lines, or write the file anew with `mirror lock`"))
    }
    return (findings.hasErrors ? nil : LockFile(bytes: bytes, index: index), findings.sorted())
  }

  private static func read(
    _ bytes: [UInt8], _ index: inout DocumentIndex, _ refuse: (String, Int, String?) -> Void
  ) throws(JSONError) {
    var reader = JSONReader(bytes)
    var schema: String?
    var hasEntries = false
    try reader.beginObject()
    while let key = try reader.nextKey() {
      switch key {
      case "schema":
        let place = reader.offset
        let text = try reader.readString()
        schema = text
        guard text == LockFile.schema else {
          refuse("this is `\(text)`, not `\(LockFile.schema)`", place, "use the version of mirror that wrote it")
          return
        }
      case "entries":
        hasEntries = true
        try readEntries(&reader, &index, refuse)
      default: try reader.skipValue()
      }
    }
    try reader.finish()
    if schema == nil || !hasEntries {
      refuse("the lock file has no `\(schema == nil ? "schema" : "entries")`", 0, "write it with `mirror lock`")
    }
  }

  private static func readEntries(
    _ reader: inout JSONReader, _ index: inout DocumentIndex, _ refuse: (String, Int, String?) -> Void
  ) throws(JSONError) {
    try reader.beginArray()
    while try reader.nextElement() {
      guard try reader.peek() == .object else { throw JSONError("expected an object", offset: reader.offset) }
      let start = reader.offset
      let bookmark = reader
      do {
        let entry = try LockEntry(reading: &reader)
        index.add(entry.destination.text, at: start..<reader.offset)
      } catch {
        refuse(error.message, error.offset, nil)
        reader = bookmark
        try reader.skipValue()
      }
    }
  }

  /// What git leaves where it could not merge.
  private static func conflictMarkers(_ source: SourceText) -> [Diagnostic] {
    var findings: [Diagnostic] = []
    var number = 1
    while let line = source.line(number), findings.count < 20 {
      if line.starts(with: Array("<<<<<<< ".utf8)) {
        findings.append(
          Diagnostic(
            at: SourceMark(line: number, column: 1), length: 7, "a merge conflict that git left in the lock file",
            hint: "take either side and run `mirror lock`, which writes the file anew"))
      }
      number += 1
    }
    return findings
  }
}
