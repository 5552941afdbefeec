// The inputs that are kept in the repository.

import Foundation

enum FuzzCorpus {
  /// Absolute paths, sorted; none where there is no such folder.
  static func files(in folder: String) throws -> [String] {
    guard FileManager.default.fileExists(atPath: folder) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { "\(folder)/\($0)" }
  }
}
