// Holds the text of one source file against the house. A function of its parameters; reading files is `SourceTree`.

/// One Swift file below `Sources`.
struct SourceFile {
  /// The folder below `Sources`.
  let target: String
  /// For the report, relative to the package.
  let path: String
  let text: String
}

/// A broken rule, at a line counted from 1.
struct Violation: Hashable, CustomStringConvertible {
  let path: String
  let line: Int
  let rule: String

  var description: String { "\(path):\(line): \(rule)" }
}

enum LayeringCheck {
  /// Every rule that the file breaks, top to bottom.
  static func violations(in file: SourceFile) -> [Violation] {
    guard let room = House.room(of: file.target) else {
      return [Violation(path: file.path, line: 1, rule: "\(file.target) is not a room of the house")]
    }
    let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
    var found: [Violation] = []
    for (index, line) in lines.enumerated() {
      let rule = importRule(brokenBy: line, in: file.target, room) ?? sendableRule(brokenBy: line, in: file.target)
      if let rule { found.append(Violation(path: file.path, line: index + 1, rule: rule)) }
    }
    let count = file.text.hasSuffix("\n") ? lines.count - 1 : lines.count
    if count > House.longestFile {
      found.append(Violation(path: file.path, line: count, rule: "a file has at most \(House.longestFile) lines"))
    }
    return found
  }

  private static func importRule(brokenBy line: Substring, in target: String, _ room: Room) -> String? {
    guard let module = importedModule(line) else { return nil }
    if room.mayImport.contains(module) || House.systemModules.contains(module) { return nil }
    if House.foundationModules.contains(module), House.mayImportFoundation.contains(target) { return nil }
    return "\(target) must not import \(module)"
  }

  private static func sendableRule(brokenBy line: Substring, in target: String) -> String? {
    let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
    guard code.contains("@unchecked"), !House.mayBeUnchecked.contains(target) else { return nil }
    return "@unchecked Sendable stands in CurlTransport only"
  }

  /// The module of an import declaration, whatever attributes, access level or kind stand with it
  /// (`@testable import A`, `package import B`, `import struct C.D`); nil for any other line.
  static func importedModule(_ line: Substring) -> String? {
    var words = line.split { $0 == " " || $0 == "\t" }[...]
    while let word = words.first, word.hasPrefix("@") || accessLevels.contains(String(word)) { words.removeFirst() }
    guard words.popFirst() == "import", var name = words.popFirst() else { return nil }
    if kinds.contains(String(name)), let next = words.popFirst() { name = next }
    return name.split(separator: ".").first.map { String($0.prefix { $0 != ";" }) }
  }

  private static let accessLevels: Set<String> = ["public", "package", "internal", "fileprivate", "private"]
  private static let kinds: Set<String> = ["struct", "class", "enum", "protocol", "typealias", "func", "var", "let"]
}
