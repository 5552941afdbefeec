// From the text of a list to its files, or to all that is wrong with it. One format each: `ImportReader+Formats`.

import TransferModel

/// Reads one list. Nothing is left out in silence: what a manifest has no place for is a warning.
struct ImportReader {
  let layout: ImportLayout
  var diagnostics = DiagnosticList()
  private(set) var items: [ImportedItem] = []

  init(layout: ImportLayout) { self.layout = layout }

  mutating func read(_ lines: [ImportLine], as format: ImportFormat) {
    switch format {
    case .urls: for line in lines { addURL(line) }
    case .csv: for line in lines { addCSV(line) }
    case .aria2: readAria2(lines)
    case .tsv: readTSV(lines)
    }
    if lines.isEmpty {
      diagnostics.add(
        Diagnostic(at: SourceMark(line: 1, column: 1), "there is nothing in the list", hint: "Is it the right file?"))
    }
  }

  mutating func add(_ item: ImportedItem) { items.append(item) }

  mutating func error(_ mark: SourceMark, _ message: String, hint: String? = nil) {
    diagnostics.add(Diagnostic(at: mark, message, hint: hint))
  }

  mutating func warn(_ mark: SourceMark, _ message: String, hint: String? = nil) {
    diagnostics.add(Diagnostic(.warning, at: mark, message, hint: hint))
  }

  /// What a text is as a manifest's reference to one object; says so when it is none.
  mutating func reference(_ text: String, at mark: SourceMark) -> Reference? {
    do throws(Reference.Violation) {
      let reference = try Reference(parsing: text, storage: StorageSettings())
      if let violation = reference.lackOfObject(writtenAs: text) { throw violation }
      return reference
    } catch {
      let isBare = error.isLackOfBucket
      self.error(
        mark, isBare ? "this is no URL" : error.message,
        hint: isBare ? "lists have URLs: https://, http:// or gs://" : error.hint)
      return nil
    }
  }

  // MARK: Destinations

  /// The items with their destinations; those that cannot have one are errors.
  mutating func placed() -> [(item: ImportedItem, destination: RelativePath)] {
    var first: [RelativePath: SourceMark] = [:]
    var placed: [(item: ImportedItem, destination: RelativePath)] = []
    for item in items {
      guard let destination = destination(of: item) else { continue }
      if let earlier = first[destination] {
        let isByName = layout == .name && item.name == nil
        error(
          item.mark, "\(destination) is the destination of line \(earlier.line) as well",
          hint: isByName
            ? "give one of them another name, or use --layout path, which keeps hosts and folders apart"
            : "give one of them another name in the list")
      } else {
        first[destination] = item.mark
        placed.append((item, destination))
      }
    }
    return placed
  }

  private mutating func destination(of item: ImportedItem) -> RelativePath? {
    guard let name = item.name ?? layout.destination(of: item.first) else {
      error(item.mark, "the URL has no name at its end", hint: "give the file a name in the list")
      return nil
    }
    let text = item.folder.map { "\($0)/\(name)" } ?? name
    do throws(RelativePath.Violation) {
      return try RelativePath(text)
    } catch {
      self.error(
        item.mark, "the destination \(error.explanation.message)", hint: "give the file another name in the list")
      return nil
    }
  }
}
