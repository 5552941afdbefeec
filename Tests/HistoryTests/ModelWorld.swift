// A bucket, a root with the user's things in and around it, and runs over both. What is done with them is `ModelRound`.

import Credentials
import CurlTransport
import Foundation
import Glibc
import MirrorPlan
import TestSupport
import TransferModel

@testable import MirrorEngine

/// One world of one sequence; each run is a run of its own, as cron starts them.
final class ModelWorld {
  let folder: TemporaryDirectory
  let server = ModelServer()
  let bucketChanges: ModelBucket
  /// What the bucket holds.
  var bucket: [String: [UInt8]] { bucketChanges.objects }

  init() throws {
    bucketChanges = ModelBucket(server)
    folder = try TemporaryDirectory(on: .memory, named: "mirror-model")
    try folder.write("mine\n", to: "outside/file", mode: 0o600)
    try folder.write("also mine\n", to: "outside/folder/a", mode: 0o640)
    try folder.makeFolder("out")
  }

  deinit { server.shutdown() }

  // MARK: The bucket

  func put(_ name: String, _ bytes: [UInt8]) { bucketChanges.change(name, bytes) }
  func remove(_ name: String) { bucketChanges.change(name, nil) }

  // MARK: Runs

  /// All that a run said.
  struct Ran: Sendable {
    /// nil = it refused to begin.
    var result: RunResult?
    var refusal: RunRefusal?
    var outcomes: [EntryOutcome]
    var complaints: [TransferFailure]
    var wasStopped: Bool

    var status: ExitStatus { result?.status ?? refusal?.status ?? .internalError }
  }

  /// - Parameter stopsAt: as a signal does, once so many steps were sent; nil = never.
  func apply(
    _ manifest: ModelManifest, faults: [ModelServer.Fault] = [], script: String = "", stopsAt: Int? = nil,
    event: ModelServer.Event? = nil
  ) async throws -> Ran {
    ageParts()
    let (outcomes, complaints) = (Lock<[EntryOutcome]>([]), Lock<[TransferFailure]>([]))
    var options = RunOptions(manifestDirectory: "", manifestPath: "model.yaml", manifestDigest: nil, version: "model")
    options.complain = { failure in complaints.withLock { $0.append(failure) } }
    let run = MirrorRun(
      try manifest.manifest(root: folder.path("out"), report: folder.path("report.json")), options: options,
      environment: RunEnvironment(
        transport: server, clocks: SystemClocks(), lookUp: { _ in nil },
        secrets: SecretReader(environment: { _ in nil }), host: "model", pause: { _ in false }))
    let stop = stopsAt.map { step in
      ModelServer.Event(step: step) { [control = run.control] in control.stop(.signal(2)) }
    }
    try server.begin(faults, script: script, event: event ?? stop)
    var ran = Ran(outcomes: [], complaints: [], wasStopped: false)
    do throws(RunRefusal) {
      ran.result = try await run.apply { batch in outcomes.withLock { $0 += batch } }
    } catch {
      ran.refusal = error
    }
    ran.outcomes = outcomes.withLock { $0 }
    ran.complaints = complaints.withLock { $0 }
    ran.wasStopped = run.control.stop != nil
    return ran
  }

  /// A run that is killed: once so many steps were sent, all that is on the disk is set aside, and it is what the next run
  /// finds. Nil when the run had ended before.
  ///
  /// Copied are the state, whose log only grows until it is closed, and part files, which are written in place; files
  /// that have their final name are linked, because they are only ever replaced. The state comes first: one that lags behind
  /// the files is what a crash leaves too.
  func applyAndDie(_ manifest: ModelManifest, at step: Int) async throws -> Bool {
    let copy = Lock<Result<Void, any Error>?>(nil)
    let (from, to) = (folder.path("out"), folder.path("killed"))
    let event = ModelServer.Event(step: step) {
      let result = Result { try Self.copyTree(from, to) }
      copy.withLock { $0 = result }
    }
    _ = try await apply(manifest, event: event)
    guard let copied = copy.withLock({ $0 }) else { return false }
    try copied.get()
    try Self.remove(from)
    guard rename(to, from) == 0 else { throw SystemError("rename the copy") }
    return true
  }

  private static func copyTree(_ from: String, _ to: String) throws {
    var status = stat()
    guard lstat(from, &status) == 0, mkdir(to, 0o700) == 0 else { throw SystemError("copy \(from)") }
    let names = try FileManager.default.contentsOfDirectory(atPath: from)
    for name in names.sorted(by: { ($0 == ".mirror" ? 0 : 1, $0) < ($1 == ".mirror" ? 0 : 1, $1) }) {
      let (source, target) = ("\(from)/\(name)", "\(to)/\(name)")
      var entry = stat()
      guard lstat(source, &entry) == 0 else { continue }
      if entry.st_mode & S_IFMT == S_IFDIR {
        try copyTree(source, target)
      } else if from.hasSuffix("/.mirror") || ModelPaths.isPart(name) {
        guard let bytes = FileManager.default.contents(atPath: source) else { continue }
        guard FileManager.default.createFile(atPath: target, contents: bytes) else { throw SystemError("copy \(name)") }
      } else if link(source, target) != 0, errno != ENOENT {
        throw SystemError("link \(name)")
      }
    }
    chmod(to, status.st_mode & 0o7777)
  }

  static func remove(_ path: String) throws {
    // Folders that may not be read are ours all the same.
    if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
  }

  /// Between two runs ten seconds pass, as far as left-overs can tell.
  private func ageParts() {
    guard let all = FileManager.default.enumerator(atPath: folder.path("out")) else { return }
    for case let path as String in all where ModelPaths.isPart(path) {
      var status = stat()
      guard stat(folder.path("out/" + path), &status) == 0 else { continue }
      status.st_mtim.tv_sec -= 10
      utimensat(AT_FDCWD, folder.path("out/" + path), [status.st_atim, status.st_mtim], 0)
    }
  }

  // MARK: What is there

  func look() throws -> [String: TreeEntry] { try Self.look(in: folder) }
  func trash() throws -> [String: [[UInt8]]] { try Self.trash(in: folder) }

  /// Everything below the root but what is mirror's own.
  static func look(in folder: TemporaryDirectory) throws -> [String: TreeEntry] {
    guard folder.exists("out") else { return [:] }
    var seen: [String: TreeEntry] = [:]
    for var entry in try folder.tree(below: "out") {
      entry.path = String(entry.path.dropFirst("out/".count))
      guard entry.path != ".mirror", !entry.path.hasPrefix(".mirror/"), !ModelPaths.isPart(entry.path) else { continue }
      seen[entry.path] = entry
    }
    return seen
  }

  /// Unfinished files that are worth continuing. A killed run may also leave less than a MiB that it had not yet written
  /// down; that is swept only where the manifest still has something.
  func parts() throws -> [String] {
    try folder.tree(below: "out").filter { entry in
      guard case .file(let bytes) = entry.kind else { return false }
      return ModelPaths.isPart(entry.path) && bytes.count >= 1 << 20
    }.map(\.path)
  }

  /// What was pruned and is kept: contents by the path below the root.
  static func trash(in folder: TemporaryDirectory) throws -> [String: [[UInt8]]] {
    guard folder.exists("out/.mirror/trash") else { return [:] }
    var trash: [String: [[UInt8]]] = [:]
    for (path, bytes) in try folder.files(below: "out/.mirror/trash") {
      trash[path.split(separator: "/").dropFirst(4).joined(separator: "/"), default: []].append(bytes)
    }
    return trash
  }
}

/// The bucket and what is known to be in it; from any thread.
final class ModelBucket: Sendable {
  private let server: ModelServer
  private let content = Lock<[String: [UInt8]]>([:])

  init(_ server: ModelServer) { self.server = server }

  var objects: [String: [UInt8]] { content.withLock { $0 } }

  /// nil = the object goes.
  func change(_ name: String, _ bytes: [UInt8]?) {
    content.withLock { $0[name] = bytes }
    if let bytes { server.objects.put("b", name, bytes) } else { server.objects.remove("b", name) }
  }
}

enum ModelPaths {
  /// Whether the last name is that of an unfinished file.
  static func isPart(_ path: String) -> Bool {
    let name = path.split(separator: "/").last ?? ""
    return name.hasPrefix(".mirror-") && name.hasSuffix(".part") && name.utf8.count == 29
  }
}
