// A folder with a manifest in it, and the built `mirror` run over it. What a run left in its report is `RunReport`.

import Foundation
import Glibc
import StorageEmulator
import TestSupport

/// A fresh folder with `mirror.yaml`, whose root is `out` beside it. Removed with the value.
final class Workplace: Sendable {
  let folder: TemporaryDirectory

  init(on place: TemporaryDirectory.Place = .disk) throws {
    folder = try TemporaryDirectory(on: place, named: "mirror-e2e")
  }

  /// With a manifest of `entries` (`items:` and `trees:`) over the bucket `b` of a server.
  ///
  /// - Parameters:
  ///   - api: `firebase` or `gcs`.
  ///   - defaults: further keys of `defaults:`, such as `timeout: {idle: 1s}`.
  ///   - settings: further top-level lines.
  convenience init(
    _ port: UInt16, api: String = "gcs", defaults: String = "mtime: source", settings: String = "",
    on place: TemporaryDirectory.Place = .disk, _ entries: String
  ) throws {
    try self.init(on: place)
    try write(port, api: api, defaults: defaults, settings: settings, entries)
  }

  /// Puts another manifest in the place of the first.
  func write(
    _ port: UInt16, api: String = "gcs", defaults: String = "mtime: source", settings: String = "", _ entries: String
  ) throws {
    // The first waits of a back-off are too short to be noticed; the budget is too long to be used up by a busy machine.
    let retry = defaults.contains("retry:") ? "" : "retry: {for: 60s, initial: 5ms, max: 50ms}, "
    try folder.write(
      """
      version: 1
      root: out
      storage: {bucket: b, api: \(api), emulator: "127.0.0.1:\(port)"}
      defaults: {\(retry)\(defaults)}
      \(settings)
      \(entries)

      """, to: "mirror.yaml")
  }

  // MARK: Running

  /// What a child is given: nothing of the tests' own settings, and a fixed time zone.
  static func environment(_ more: [String: String]) -> [String: String] {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return ["PATH": path, "TZ": "UTC", "LC_ALL": "C.UTF-8"].merging(SanitizerOptions.environment) { one, _ in one }
      .merging(more) { _, new in new }
  }

  /// Runs `mirror ARGUMENTS` in the folder, to its end.
  func mirror(
    _ arguments: [String], environment: [String: String] = [:], input: [UInt8] = [], timeout: Duration = .seconds(120)
  ) async throws -> ChildResult {
    try await ChildProcess.run(
      BuiltProducts.mirror, arguments, environment: Self.environment(environment), input: input, in: folder.path,
      timeout: timeout * SanitizerOptions.slowness)
  }

  func mirror(_ arguments: String..., environment: [String: String] = [:]) async throws -> ChildResult {
    try await mirror(arguments, environment: environment)
  }

  /// Starts `mirror ARGUMENTS` in the folder.
  func start(_ arguments: String...) throws -> ChildProcess {
    try ChildProcess(BuiltProducts.mirror, arguments, environment: Self.environment([:]), in: folder.path)
  }

  /// Runs `mirror apply --report report.json OPTIONS mirror.yaml` and reads the report.
  func apply(
    _ options: String..., environment: [String: String] = [:], timeout: Duration = .seconds(120)
  ) async throws -> AppliedRun {
    unlink(folder.path("report.json"))
    let arguments = ["apply", "--report", "report.json"] + options + ["mirror.yaml"]
    let result = try await mirror(arguments, environment: environment, timeout: timeout)
    return AppliedRun(result: result, report: try report(after: result))
  }

  /// The report that stands in the folder.
  func report(after result: ChildResult? = nil) throws -> RunReport {
    do {
      return try RunReport(folder.read("report.json"))
    } catch {
      throw NoReport(reason: "\(error)", said: result?.errorText ?? "")
    }
  }

  struct NoReport: Error, CustomStringConvertible {
    var reason: String
    var said: String
    var description: String { "no report (\(reason)); mirror had said: \(said)" }
  }

  // MARK: What is on the disk

  /// The content of a file below the root; nil when there is none.
  func content(_ destination: String) -> Data? {
    (try? TemporaryDirectory.bytes(ofFile: path(destination))).map { Data($0) }
  }

  func text(_ destination: String) -> String? { content(destination).map { String(decoding: $0, as: UTF8.self) } }

  /// The absolute path of a destination.
  func path(_ destination: String) -> String { folder.path("out/\(destination)") }

  /// Everything below the root but mirror's own folder, with inode, time and mode.
  func tree() throws -> [TreeEntry] {
    try folder.tree(below: "out").filter { $0.path != "out/.mirror" && !$0.path.hasPrefix("out/.mirror/") }
  }

  /// The paths of the regular files below the root, mirror's own folder left out.
  func names() throws -> [String] {
    try tree().compactMap { entry in
      if case .file = entry.kind { String(entry.path.dropFirst("out/".count)) } else { nil }
    }
  }

  /// The sizes of files that are not finished. May be asked while a run works.
  func partSizes() -> [Int] {
    guard let walk = FileManager.default.enumerator(atPath: folder.path("out")) else { return [] }
    var sizes: [Int] = []
    for case let path as String in walk where (path as NSString).lastPathComponent.hasPrefix(".mirror-") {
      var status = stat()
      if lstat(self.path(path), &status) == 0 { sizes.append(Int(status.st_size)) }
    }
    return sizes
  }
}

/// One `apply` and what it said.
struct AppliedRun {
  var result: ChildResult
  var report: RunReport

  var status: Int32? { result.status }
  /// For the message of an expectation.
  var said: String { result.errorText }

  /// What the report says of a destination.
  func item(_ destination: String) throws -> RunReport.Item {
    guard let item = report.items.first(where: { $0.to == destination }) else {
      throw Workplace.NoReport(reason: "nothing is said of \(destination)", said: said)
    }
    return item
  }

  /// The reason of every item that did not do, by destination.
  var failures: [String: String] {
    Dictionary(report.items.filter { $0.error != nil }.map { ($0.to, $0.reason) }) { first, _ in first }
  }
}

/// Waits for something that a real process does; generous, because the machine may be busy.
func eventually(
  _ what: String, timeout: Duration = .seconds(60), _ condition: () throws -> Bool
) async throws {
  try await waitUntil(what, timeout: timeout * SanitizerOptions.slowness) { () async throws -> Bool in try condition() }
}
