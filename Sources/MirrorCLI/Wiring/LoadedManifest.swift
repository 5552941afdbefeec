// A manifest from its file: read, decoded, judged.

import LocalFiles
import ManifestYAML
import MirrorPlan
import TransferModel

/// The text of a manifest and what was found in it.
struct LoadedManifest {
  /// How it is called in messages.
  let name: String
  /// Its folder, from which its relative paths start; empty = the working directory.
  let directory: String
  /// Empty once it was let go.
  private(set) var bytes: [UInt8]
  let file: ManifestFile
  /// Of the text; nil until that was let go.
  private(set) var digest: Digest?

  /// A manifest may be larger than any sensible one, so that the error is about its size and not about reading it.
  private static let readLimit = ByteCount(256 << 20)

  /// Throws what reading the file throws. `keepsItems` is false for who wants the findings only.
  init(_ source: FileOrStream, root: String?, keepsItems: Bool = true) throws(TransferFailure) {
    (name, bytes) = try source.read(limit: Self.readLimit)
    switch source {
    case .standardStream: directory = ""
    case .file(let path):
      directory = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ""
    }
    let first = Self.load(bytes, name, foldsCase: false, keepsItems)
    // Which names collide depends on the file system of the root, and the root is in the manifest.
    let own = first.manifest?.root
    let isAbsolute = own?.hasPrefix("/") ?? true
    let rootPath = root ?? (isAbsolute || directory.isEmpty ? own : own.map { [directory] in directory + "/" + $0 })
    if let rootPath, let root = try? RootDirectory(opening: rootPath), FileSystemFacts(root).foldsCaseOfOwnFolder {
      file = Self.load(bytes, name, foldsCase: true, keepsItems)
    } else {
      file = first
    }
  }

  private static func load(_ bytes: [UInt8], _ name: String, foldsCase: Bool, _ keepsItems: Bool) -> ManifestFile {
    ManifestFile.load(
      bytes: bytes, name: name, environment: ProcessEnvironment.value, foldsCase: foldsCase, keepsItems: keepsItems)
  }

  /// Gives the memory of the text back, when all that is wrong with it was said, and keeps only its digest.
  mutating func releaseText() {
    digest = try? StreamingDigest.digests(of: bytes, [.sha256]).sha256
    bytes = []
  }

  /// Errors and warnings as text for people; empty when there are none.
  func findings() -> String {
    file.diagnostics.isEmpty ? "" : DiagnosticRenderer(name: name, source: bytes).text(of: file.diagnostics)
  }
}
