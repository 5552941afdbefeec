// Reads the package's own sources from the disk.

import Foundation

enum SourceTree {
  /// The package's folder, from where this file was compiled: Tests/LayeringTests/SourceTree.swift.
  static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static func folders() throws -> Set<String> {
    let names = try FileManager.default.contentsOfDirectory(atPath: package.appending(path: "Sources").path)
    return Set(names.filter { !$0.hasPrefix(".") })
  }

  /// What the targets of a package use, by their names, as far as `call` names them: `storey("A", uses: ["B"])`.
  static func uses(inPackage folder: String, of call: String) throws -> [String: Set<String>] {
    let text = try String(contentsOf: package.appending(path: "\(folder)Package.swift"), encoding: .utf8)
    let calls = text.split(separator: "\n").filter { !$0.contains("func ") }.joined(separator: "\n")
      .components(separatedBy: "\(call)(").dropFirst()
    return calls.reduce(into: [:]) { found, call in
      let strings = call.prefix { $0 != ")" }.split(separator: "\"", omittingEmptySubsequences: false)
      let names = strings.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
      if let name = names.first { found[name] = Set(names.dropFirst()) }
    }
  }

  /// Every Swift file below `Sources`.
  static func files() throws -> [SourceFile] {
    var files: [SourceFile] = []
    for target in try folders().sorted() {
      let folder = package.appending(path: "Sources/\(target)")
      for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
      where name.hasSuffix(".swift") {
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        files.append(SourceFile(target: target, path: "Sources/\(target)/\(name)", text: text))
      }
    }
    return files
  }
}
