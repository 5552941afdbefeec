// A whole run over an emulator, for tests of what is sent where.

import Credentials
import CurlTransport
import Foundation
import MirrorPlan
import StorageEmulator
import TestSupport
import TransferModel

@testable import MirrorEngine

/// One emulator that holds objects and plays the token services, and runs over it.
struct CredentialsRun {
  let emulator: StorageEmulator
  let folder: TemporaryDirectory
  var environment: [String: String] = [:]
  var api = StorageSettings.API.firebase
  var jobs = 8
  /// What the run said beforehand.
  let notes = Lock<[String]>([])

  init(_ script: String = "") throws {
    emulator = try StorageEmulator()
    try emulator.play(script)
    folder = try TemporaryDirectory()
  }

  var origin: Origin { Origin(scheme: .http, host: "127.0.0.1", port: emulator.port) }
  var host: String { "127.0.0.1:\(emulator.port)" }

  /// A reference to an object of the bucket.
  static func object(_ name: String) -> Reference {
    .storage(StorageAddress(bucket: "bucket", object: ObjectName(name)))
  }

  static func web(_ url: String) throws -> Reference { .web(try HTTPURL(parsing: url)) }

  func apply(_ auth: [AuthEntry], _ references: [(Reference, String)]) async throws -> RunResult {
    let items = try references.map { reference, destination in
      Item(references: [reference], destination: try RelativePath(destination))
    }
    let transport = try CurlTransport(CurlTransport.Configuration(userAgent: "test", loopCount: 2, slotsPerLoop: jobs))
    defer { transport.shutdown() }
    let environment = environment
    let variables: @Sendable (String) -> String? = { environment[$0] }
    let run = MirrorRun(
      Manifest(
        root: folder.path("out"), storage: StorageSettings(bucket: "bucket", api: api, emulator: origin), auth: auth,
        items: ItemList(items)),
      options: options,
      environment: RunEnvironment(
        transport: transport, clocks: SystemClocks(), lookUp: variables, secrets: SecretReader(environment: variables),
        host: "test", pause: { _ in false }))
    return try await run.apply()
  }

  private var options: RunOptions {
    var options = RunOptions(
      manifestDirectory: folder.path, manifestPath: folder.path("m.yaml"), manifestDigest: nil, version: "test")
    options.reportPath = folder.path("report.json")
    options.jobs = jobs
    options.retryBudget = .zero
    options.note = { [notes] note in notes.withLock { $0.append(note) } }
    return options
  }

  /// The `Authorization` fields of requests for objects, "" for none.
  var sent: [String] { objectRequests.map { $0.fields["Authorization"] ?? "" } }

  var objectRequests: [LoggedRequest] { emulator.log.filter { $0.method == "GET" } }
  var tokenRequests: [LoggedRequest] { emulator.log.filter { $0.method == "POST" } }
}

/// Lines of a fault script: answers of token services.
enum TokenScript {
  /// Firebase's refresh, one ID token after the other; the last one is repeated.
  static func refresh(_ tokens: String..., delay: String? = nil) -> String {
    answers(
      "/securetoken", tokens.map { #"{"id_token": "\#($0)", "refresh_token": "rt", "expires_in": "3600"}"# }, delay)
  }

  static func answers(_ target: String, _ bodies: [String], _ delay: String? = nil) -> String {
    bodies.enumerated().map { index, body in
      let numbers = index + 1 == bodies.count ? "after \(index)" : "\(index + 1)"
      let quoted = body.replacing("\"", with: "\\\"")
      return "on POST target \(target) request \(numbers) of-all\n  status 200 body text \"\(quoted)\"\n"
        + (delay.map { "  delay \($0)\n" } ?? "")
    }.joined()
  }
}

extension SecretReference {
  static func env(_ name: String) -> SecretReference { SecretReference(source: .environment(name)) }
}

/// Runs of the program, one after the other and on a thread of their own: the tests' threads are few, and a child that is
/// waited for there would hold up every other test.
enum TestProgram {
  private static let thread = BlockingThreads(count: 1)

  static func run(
    _ arguments: [String], _ environment: [String: String], in folder: String? = nil
  ) async throws -> ChildResult {
    let all = environment.merging(["PATH": "/usr/bin:/bin"]) { first, _ in first }
    return try await thread.run {
      Result { try ChildProcess.run(BuiltProducts.mirror, arguments, environment: all, in: folder) }
    }.get()
  }

  /// The command line that everyone on the machine can read while the program runs.
  static func commandLine(
    _ arguments: [String], _ environment: [String: String], in folder: String
  ) async throws -> String {
    let all = environment.merging(["PATH": "/usr/bin:/bin"]) { first, _ in first }
    return try await thread.run {
      Result {
        let child = try ChildProcess(BuiltProducts.mirror, arguments, environment: all, in: folder)
        var seen: Set<String> = []
        while child.end == nil {
          if let bytes = try? TemporaryDirectory.bytes(ofFile: "/proc/\(child.pid)/cmdline") {
            seen.insert(String(decoding: bytes, as: UTF8.self))
          }
        }
        return seen.sorted().joined(separator: "\n")
      }
    }.get()
  }
}
