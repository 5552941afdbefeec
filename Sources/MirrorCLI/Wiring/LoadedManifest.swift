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
  let bytes: [UInt8]
  let file: ManifestFile

  /// A manifest may be larger than any sensible one, so that the error is about its size and not about reading it.
  private static let readLimit = ByteCount(256 << 20)

  /// Throws what reading the file throws.
  init(_ source: FileOrStream, root: String?) throws(TransferFailure) {
    switch source {
    case .standardStream:
      name = "-"
      directory = ""
      bytes = try WholeFile.readStandardInput(limit: Self.readLimit)
    case .file(let path):
      name = path
      directory = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ""
      bytes = try WholeFile.read(path, limit: Self.readLimit)
    }
    let first = Self.load(bytes, name, foldsCase: false)
    // Which names collide depends on the file system of the root, and the root is in the manifest.
    let own = first.manifest?.root
    let isAbsolute = own?.hasPrefix("/") ?? true
    let rootPath = root ?? (isAbsolute || directory.isEmpty ? own : own.map { [directory] in directory + "/" + $0 })
    if let rootPath, let root = try? RootDirectory(opening: rootPath), FileSystemFacts(root).foldsCaseOfOwnFolder {
      file = Self.load(bytes, name, foldsCase: true)
    } else {
      file = first
    }
  }

  private static func load(_ bytes: [UInt8], _ name: String, foldsCase: Bool) -> ManifestFile {
    ManifestFile.load(bytes: bytes, name: name, environment: ProcessEnvironment.value, foldsCase: foldsCase)
  }

  var digest: Digest? {
    bytes.withUnsafeBytes { buffer in (try? StreamingDigest.digests(of: buffer, [.sha256]))?.sha256 }
  }

  /// Errors and warnings as text for people; empty when there are none.
  func findings() -> String {
    file.diagnostics.isEmpty ? "" : DiagnosticRenderer(name: name, source: bytes).text(of: file.diagnostics)
  }
}
