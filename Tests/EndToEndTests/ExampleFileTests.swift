// The ready files of `examples/` for cron, systemd, CI and clusters: every command in them is run, in a folder of the test's
// own.

import Foundation
import Glibc
import StorageEmulator
import TestSupport
import Testing
import TransferModel

@Suite struct ExampleFileTests {
  private static func text(_ path: String) throws -> String {
    String(
      decoding: try TemporaryDirectory.bytes(ofFile: "\(BuiltProducts.packageFolder)/examples/\(path)"), as: UTF8.self)
  }

  private static let tree = "trees: [{ref: \"gs://b/f/\", to: f, prune: {enabled: true, max: 100%}}]"

  private static func server() throws -> StorageEmulator {
    try StorageEmulator.serving(
      Dictionary(uniqueKeysWithValues: (0..<30).map { ("f/\($0)", Data("object \($0)".utf8)) }))
  }

  /// A place with the built `mirror` on its PATH.
  private static func place(_ server: StorageEmulator, settings: String = "") throws -> Workplace {
    let place = try Workplace(server.port, settings: settings, tree)
    try place.folder.write("", to: "bin/.keep")
    try #require(symlink(BuiltProducts.mirror, place.folder.path("bin/mirror")) == 0)
    return place
  }

  /// Runs a line of shell with the absolute paths of the examples taken for those of the place.
  private func run(_ line: String, in place: Workplace, _ variables: [String: String] = [:]) async throws -> ChildResult
  {
    let words = [
      ("/usr/local/bin/mirror", "mirror"), ("/etc/mirror/%i.yaml", "mirror.yaml"), ("/etc/mirror/", ""),
      ("/var/log/mirror/", ""), ("/var/lib/mirror/%i.", ""),
    ]
    let command = words.reduce(line) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    var environment = Workplace.environment(variables)
    environment["PATH"] = place.folder.path("bin") + ":" + (environment["PATH"] ?? "")
    return try await ChildProcess.run(
      "/bin/sh", ["-c", command], environment: environment, in: place.folder.path,
      timeout: .seconds(120) * SanitizerOptions.slowness)
  }

  private func expectAll(_ place: Workplace) throws { #expect(try place.names().count == 30) }

  @Test func `examples/cron: the line does what its comment says, and says nothing when all is well`() async throws {
    let server = try Self.server()
    defer { server.stop() }
    let place = try Self.place(server)
    let line = try #require(try Self.text("cron/mirror").split(separator: "\n").last)
    let fields = line.split(separator: " ", maxSplits: 6)
    #expect(fields.count == 7 && fields[5] == "mirror")
    let result = try await run(String(fields[6]), in: place)
    #expect(result.status == 0 && result.outputText.isEmpty && result.errorText.isEmpty, "\(result.errorText)")
    try expectAll(place)
    #expect(try place.report().totals.downloaded == 30)
  }

  @Test func `examples/systemd: the service's command runs`() async throws {
    let server = try Self.server()
    defer { server.stop() }
    let place = try Self.place(server)
    let lines = try Self.text("systemd/mirror@.service").split(separator: "\n")
    let start = try #require(lines.first { $0.hasPrefix("ExecStart=") })
    let result = try await run(String(start.dropFirst("ExecStart=".count)), in: place)
    #expect(result.status == 0, "\(result.errorText)")
    try expectAll(place)
    #expect(try place.report().totals.downloaded == 30)
    #expect(try Self.text("systemd/mirror@.timer").contains("OnCalendar="))
  }

  @Test func `examples/github-actions and gitlab-ci: every step runs`() async throws {
    let server = try Self.server()
    defer { server.stop() }
    let steps = [
      ("github-actions/assets.yml", "run: "), ("gitlab-ci/.gitlab-ci.yml", "- "),
    ]
    for (file, mark) in steps {
      let place = try Self.place(server, settings: "report: {junit: mirror.xml}")
      #expect(try await place.mirror("lock", "mirror.yaml").status == 0)
      let commands = try Self.text(file).split(separator: "\n")
        .map { $0.drop { $0 == " " } }.filter { $0.hasPrefix(mark + "mirror ") }
      #expect(commands.count == 2)
      for command in commands {
        let result = try await run(String(command.dropFirst(mark.count)), in: place)
        #expect(result.status == 0, "\(file): \(command): \(result.errorText)")
      }
      try expectAll(place)
      #expect(place.folder.exists("mirror.xml"))
    }
  }

  @Test func `examples/kubernetes: the pods fill the volume, and the last job brings them together`() async throws {
    let server = try Self.server()
    defer { server.stop() }
    let place = try Self.place(server)
    let jobs = try Self.text("kubernetes/mirror.yaml").split(separator: "\n")
      .map { $0.drop { $0 == " " } }.filter { $0.hasPrefix("args: [") }
      .map { "mirror " + $0.dropFirst("args: [".count).dropLast().replacingOccurrences(of: ", ", with: " ") }
    #expect(jobs.count == 2)
    for index in 0..<8 {
      let result = try await run(jobs[0], in: place, ["JOB_COMPLETION_INDEX": "\(index)"])
      #expect(result.status == 0, "\(result.errorText)")
    }
    try expectAll(place)
    server.objects.remove("b", "f/3")
    let last = try await run(jobs[1], in: place)
    #expect(last.status == 0, "\(last.errorText)")
    #expect(try place.names().count == 29)
  }

  @Test func `examples/slurm: the array fills the folder, and the last job brings its tasks together`() async throws {
    let server = try Self.server()
    defer { server.stop() }
    let place = try Self.place(server)
    // Stands in for Slurm: runs what is submitted, one after the other.
    try place.folder.write(
      #"""
      #!/bin/sh
      set -eu
      echo 77
      while [ $# -gt 0 ]; do
        case $1 in
          --array=1-*) count=${1#--array=1-} ;;
          --dependency=afterany:77) afterwards=yes ;;
          --wrap) [ "${afterwards:-}" = yes ] && exec sh -c "$2" >&2 ;;
          --*) ;;
          *) break ;;
        esac
        shift
      done
      for id in $(seq 1 "$count"); do
        SLURM_ARRAY_TASK_ID=$id SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=$count SLURM_ARRAY_TASK_STEP=1 sh "$@" >&2
      done

      """#, to: "bin/sbatch")
    #expect(chmod(place.folder.path("bin/sbatch"), 0o755) == 0)
    let script = "\(BuiltProducts.packageFolder)/examples/slurm/mirror.sh"
    let first = try await run("sh '\(script)' mirror.yaml 3", in: place)
    #expect(first.status == 0, "\(first.errorText)")
    try expectAll(place)
    server.objects.remove("b", "f/3")
    let second = try await run("sh '\(script)' mirror.yaml 5", in: place)
    #expect(second.status == 0, "\(second.errorText)")
    #expect(try place.names().count == 29)
    let left = try FileManager.default.contentsOfDirectory(atPath: place.path(".mirror"))
    #expect(left.allSatisfy { !$0.contains("-of-") }, "\(left)")
  }
}
