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
  /// - name: how it is called.
  /// - format: nil = what it looks like.
  /// - layout: nil = as the program does it that takes such lists.
  /// - root: as it is to stand in the manifest.
  package init(list: String, named name: String, format: ImportFormat?, layout: ImportLayout?, root: String) {
    let lines = ImportLine.all(of: list)
    let format = format ?? ImportFormat.of(lines, named: name)
    var reader = ImportReader(layout: layout ?? (format == .tsv ? .path : .name))
    reader.read(lines, as: format)
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

  /// A YAML scalar in double quotes (YAML 1.2 section 5.7); `$` is doubled, as the manifest puts variables in.
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "$": quoted += "$$"
      case _ where isPlain(scalar): quoted.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\U" + String(repeating: "0", count: 8 - digits.utf8.count) + digits
      }
    }
    return quoted + "\""
  }

  /// Whether YAML takes a character as it is (section 5.1), and no editor takes it for a line break.
  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x2028, 0x2029, 0xFEFF: false
    case 0x20...0x7E, 0xA0...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
    default: false
    }
  }

  private static func comment(_ name: String) -> String {
    String(String.UnicodeScalarView(name.unicodeScalars.map { isPlain($0) ? $0 : " " }))
  }
}
