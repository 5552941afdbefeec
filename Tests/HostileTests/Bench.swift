// A folder with a manifest of plain URLs, and the built `mirror` run over it under bad conditions.

import Foundation
import Glibc
import TestSupport

/// A fresh folder with `mirror.yaml`. Removed with the value.
final class Bench: Sendable {
  /// One `items:` entry.
  struct Item {
    var url: String
    var to: String
    var size: Int?
    /// Further keys, such as `sha256: …`.
    var more = ""
  }

  let folder: TemporaryDirectory
  let root: String

  /// - Parameters:
  ///   - root: an absolute path; nil = `out` in the folder.
  ///   - defaults: further keys of `defaults:`, such as `timeout: {idle: 1s}`.
  ///   - settings: further top-level lines.
  init(
    _ items: [Item], root: String? = nil, defaults: String = "mtime: source", retryFor: String = "30s",
    settings: String = ""
  ) throws {
    folder = try TemporaryDirectory(on: .memory, named: "mirror-hostile")
    self.root = root ?? folder.path("out")
    let lines = items.map { item in
      "  - {ref: \"\(item.url)\", to: \"\(item.to)\"" + (item.size.map { ", size: \($0)" } ?? "")
        + (item.more.isEmpty ? "" : ", \(item.more)") + "}"
    }
    try folder.write(
      """
      version: 1
      root: "\(self.root)"
      defaults: {retry: {for: \(retryFor), initial: 5ms, max: 50ms}, \(defaults)}
      \(settings)
      items:
      \(lines.joined(separator: "\n"))

      """, to: "mirror.yaml")
  }

  /// Of one tree in an emulator's bucket `b`, by Google's API.
  init(tree: String, port: UInt16, settings: String = "") throws {
    folder = try TemporaryDirectory(on: .memory, named: "mirror-hostile")
    root = folder.path("out")
    try folder.write(
      """
      version: 1
      root: out
      storage: {bucket: b, api: gcs, emulator: "127.0.0.1:\(port)"}
      \(settings)
      trees: [{ref: "\(tree)", to: .}]

      """, to: "mirror.yaml")
  }

  // MARK: Running

  private static func environment(_ more: [String: String]) -> [String: String] {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return ["PATH": path, "TZ": "UTC", "LC_ALL": "C.UTF-8"].merging(SanitizerOptions.environment) { one, _ in one }
      .merging(more) { _, new in new }
  }

  private static func arguments(_ options: [String]) -> [String] {
    ["apply", "--report", "report.json"] + options + ["mirror.yaml"]
  }

  /// Starts `mirror apply`, as a child that can be sent signals.
  func start(_ options: String..., environment: [String: String] = [:]) throws -> ChildProcess {
    try ChildProcess(
      BuiltProducts.mirror, Self.arguments(options), environment: Self.environment(environment), in: folder.path)
  }

  /// Runs `mirror apply` to its end.
  ///
  /// - Parameter shell: what a shell does before it becomes `mirror`, such as `ulimit -n 64`; nil = no shell.
  func apply(
    _ options: String..., environment: [String: String] = [:], after shell: String? = nil,
    timeout: Duration = .seconds(60)
  ) async throws -> Applied {
    unlink(folder.path("report.json"))
    var command = [BuiltProducts.mirror] + Self.arguments(options)
    if let shell { command = ["/bin/sh", "-c", shell + "; exec \"$0\" \"$@\""] + command }
    let start = ContinuousClock.now
    let result = try await ChildProcess.run(
      command[0], Array(command.dropFirst()), environment: Self.environment(environment), in: folder.path,
      timeout: timeout * SanitizerOptions.slowness)
    return Applied(
      result: result, report: try? RunReport(folder.read("report.json")), elapsed: ContinuousClock.now - start)
  }

  // MARK: What is on the disk

  func content(_ destination: String) -> [UInt8]? { try? TemporaryDirectory.bytes(ofFile: root + "/" + destination) }

  /// The paths of all regular files below the root, mirror's own folder left out.
  func names() -> [String] {
    guard let walk = FileManager.default.enumerator(atPath: root) else { return [] }
    var names: [String] = []
    for case let path as String in walk where path != ".mirror" && !path.hasPrefix(".mirror/") {
      var status = stat()
      if lstat(root + "/" + path, &status) == 0, status.st_mode & S_IFMT == S_IFREG { names.append(path) }
    }
    return names.sorted()
  }

  /// Files that are not finished.
  func parts() -> [String] { names().filter { ($0 as NSString).lastPathComponent.hasPrefix(".mirror-") } }

  /// The size of the largest file that is not finished; asks for no content.
  func largestPart() -> Int {
    parts().reduce(0) { largest, name in
      var status = stat()
      return lstat(root + "/" + name, &status) == 0 ? max(largest, Int(status.st_size)) : largest
    }
  }

  /// Without symbolic links, as the kernel shows the paths of open files.
  static func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// The bytes that are in files that are not finished.
  func partBytes() -> Int { parts().reduce(0) { $0 + (content($1)?.count ?? 0) } }
}

/// One `mirror apply` and what it left.
struct Applied {
  var result: ChildResult
  /// nil when none was written.
  var report: RunReport?
  var elapsed: Duration

  var status: Int32? { result.status }
  var said: String { result.errorText }

  /// What the report says of a destination.
  func item(_ destination: String) -> RunReport.Item? { report?.items.first { $0.to == destination } }

  /// Whether the program ended by itself, with a status that it knows.
  var endedInOrder: Bool { [0, 3, 4, 6].contains(status) }
}

/// The members of the JSON report that these tests ask for.
struct RunReport: Decodable {
  struct Item: Decodable {
    var to: String
    var outcome: String
    var reason: String
    var provenBy: String?
    var attempts: [Attempt]
    var bytes: Int
    var bytesResumed: Int
    var error: Failure?
  }

  struct Attempt: Decodable {
    var status: Int?
    var error: String?
    var bytes: Int
  }

  struct Failure: Decodable {
    var name: String
    var message: String
    var hint: String?
  }

  struct Totals: Decodable {
    var items: Int
    var downloaded: Int
    var failed: Int
    var skipped: Int
    var interrupted: Int
  }

  var items: [Item]
  var errors: [Failure]
  var totals: Totals

  init(_ bytes: [UInt8]) throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    self = try decoder.decode(RunReport.self, from: Data(bytes))
  }

  /// All reasons, of items and of the run.
  var reasons: Set<String> { Set(items.compactMap { $0.error?.name } + errors.map(\.name)) }
}
