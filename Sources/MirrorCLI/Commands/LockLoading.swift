// Finds and reads the lock file that a command line asks for, and says what is wrong with it.

import Glibc
import LocalFiles
import MirrorEngine
import MirrorPlan
import TransferModel

/// Which lock file binds a run.
enum LockLoading {
  private static let readLimit = ByteCount(4 << 30)

  /// The place of a manifest's lock file; nil for a manifest from standard input.
  static func path(of loaded: LoadedManifest) -> String? {
    loaded.name == "-" ? nil : LockFile.path(forManifest: loaded.name)
  }

  /// What the run does with its lock file.
  ///
  /// Throws where the lock file is wanted and is missing or damaged; what is wrong with it has been said then.
  static func policy(
    _ choice: LockChoice, _ loaded: LoadedManifest
  ) throws(RunRefusal) -> LockPolicy {
    switch choice {
    case .ignored: return .ignored
    case .locked: return .locked(try needed(loaded))
    case .frozen: return .frozen(try needed(loaded))
    case .updated(let only): return .update(try optional(loaded), only: only)
    }
  }

  /// The lock file; nil when there is none.
  static func optional(_ loaded: LoadedManifest) throws(RunRefusal) -> LockFile? {
    guard let path = path(of: loaded) else { return nil }
    let bytes: [UInt8]
    do {
      bytes = try WholeFile.read(path, limit: readLimit)
    } catch {
      if error.errno == ENOENT { return nil }
      throw RunRefusal(status: .localResource, failure: error)
    }
    let (lock, findings) = LockReader.read(bytes)
    if let lock { return lock }
    try? Output.talk.write(DiagnosticRenderer(name: path, source: bytes).text(of: findings))
    throw RunRefusal(
      status: .usage,
      failure: TransferFailure(.invalidRequest, .permanent, "\(path) is no lock file that can be used"))
  }

  private static func needed(_ loaded: LoadedManifest) throws(RunRefusal) -> LockFile {
    if let lock = try optional(loaded) { return lock }
    guard let path = path(of: loaded) else {
      throw RunRefusal(
        status: .usage,
        failure: TransferFailure(
          .invalidRequest, .permanent, "a manifest from standard input has no lock file",
          hint: "Name the manifest's file."))
    }
    throw RunRefusal(
      status: .usage,
      failure: TransferFailure(
        .invalidRequest, .permanent, "there is no lock file \(path)",
        hint: "Write it with `mirror lock \(loaded.name)`."))
  }
}
