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
