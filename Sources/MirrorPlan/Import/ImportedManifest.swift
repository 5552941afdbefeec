// A list as a manifest.

import TransferModel

/// The text of the manifest that stands for a list, or what is wrong with the list.
package struct ImportedManifest: Sendable {
  /// nil when there is an error.
  package let text: String?
  package let itemCount: Int
  /// In the order of the list.
  package let diagnostics: [Diagnostic]

  /// - list: the whole text.
  /// - name: how it is called, for the comment on top.
  /// - layout: nil = as the program does it that takes such lists.
  /// - root: as it is to stand in the manifest.
  package init(list: String, named name: String, format: ImportFormat, layout: ImportLayout?, root: String) {
    var reader = ImportReader(layout: layout ?? (format == .tsv ? .path : .name))
    reader.read(list, as: format)
    let placed = reader.placed()
    diagnostics = reader.diagnostics.sorted()
    itemCount = placed.count
    guard !reader.diagnostics.hasErrors else {
      text = nil
      return
    }
    var text = """
      # From \(Self.comment(name)) (\(format.rawValue)) by `mirror import`.
      version: 1
      root: \(Self.quoted(root))
      items:

      """
    for (item, destination) in placed { text += Self.line(item, destination) }
    self.text = text
  }

  private static func line(_ item: ImportedItem, _ destination: RelativePath) -> String {
    let references = item.references.map { quoted($0) }
    let ref = references.count == 1 ? references[0] : "[" + references.joined(separator: ", ") + "]"
    var parts = ["ref: \(ref)", "to: \(quoted(destination.text))"]
    if let size = item.size { parts.append("size: \(size)") }
    for algorithm in DigestAlgorithm.allCases {
      guard let digest = item.digests[algorithm] else { continue }
      parts.append("\(algorithm.rawValue): \"\(digest.hex)\"")
    }
    return "  - {" + parts.joined(separator: ", ") + "}\n"
  }

  /// A YAML scalar in double quotes, which takes JSON's escapes; `$` is doubled, as the manifest puts variables in.
  private static func quoted(_ text: String) -> String {
    var writer = JSONWriter()
    writer.string(text)
    let json = String(decoding: writer.bytes, as: UTF8.self)
    return json.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
      .map { String(Substring($0)) }.joined(separator: "$$")
  }

  private static func comment(_ name: String) -> String {
    String(name.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
  }
}
