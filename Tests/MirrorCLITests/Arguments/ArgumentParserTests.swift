// The grammar of the command line, row by row, against the real command table.

import MirrorPlan
import Testing
import TransferModel

@testable import MirrorCLI

@Suite struct ArgumentParserTests {
  private static let commands =
    "the commands are apply, plan, finalize, lock, check, verify, status, explain, doctor, report, import, get, cat, stat, url, ls, set-metadata, cache, completion"

  private func parse(_ words: [String], environment: [String: String] = [:]) throws(UsageError) -> Invocation {
    try Program.mirror(version: "1.2.3").parse(words, environment: { environment[$0] })
  }

  private func problem(_ words: [String], environment: [String: String] = [:]) -> UsageError? {
    do {
      _ = try parse(words, environment: environment)
      return nil
    } catch {
      return error
    }
  }

  private func apply(_ change: (inout ApplyOptions) -> Void = { _ in }) -> Invocation {
    var options = ApplyOptions()
    options.survey.manifest = .file("m.yaml")
    change(&options)
    return .apply(options)
  }

  @Test(
    "a value may follow its option, an equals sign, or a short letter",
    arguments: [
      ["apply", "--jobs", "8", "m.yaml"], ["apply", "--jobs=8", "m.yaml"], ["apply", "-j", "8", "m.yaml"],
      ["apply", "-j8", "m.yaml"], ["apply", "-j=8", "m.yaml"], ["apply", "m.yaml", "--jobs", "8"],
      ["apply", "--jobs", "2", "m.yaml", "-j8"],
    ])
  func jobsSpellings(words: [String]) throws {
    #expect(try parse(words) == apply { $0.survey.jobs = 8 })
  }

  @Test func `short flags are bundled, and the last may take a value`() throws {
    let expected = apply {
      $0.isDryRun = true
      $0.talk.verbosity = .verbose
      $0.survey.jobs = 4
    }
    #expect(try parse(["apply", "-nvj4", "m.yaml"]) == expected)
    #expect(try parse(["apply", "-nvj", "4", "m.yaml"]) == expected)
  }

  @Test func `after two dashes everything is an argument`() throws {
    var options = CheckOptions()
    options.manifest = .file("--json")
    #expect(try parse(["check", "--", "--json"]) == .check(options))
    options.manifest = .file("--help")
    #expect(try parse(["check", "--", "--help"]) == .check(options))
  }

  @Test func `a single dash is a value`() throws {
    #expect(try parse(["check", "-"]) == .check(CheckOptions()))
    var options = GetOptions()
    options.question.reference = "gs://b/o"
    options.destination = .standardStream
    #expect(try parse(["get", "gs://b/o", "-"]) == .get(options))
    #expect(try parse(["apply", "--report", "-", "m.yaml"]) == apply { $0.report = .standardStream })
  }

  @Test func `every option of apply reaches its place`() throws {
    let words = [
      "apply", "m.yaml", "-n", "--root", "out", "--report=r.json", "--check", "--durable", "--wait", "5m",
      "--max-duration", "1h30m", "--max-bytes=2GiB", "--max-transfers", "12", "--detailed-exitcode", "-q",
      "--log-format", "json", "--color=never", "--fail-fast",
    ]
    let expected = apply {
      $0.isDryRun = true
      $0.survey.root = "out"
      $0.report = .file("r.json")
      $0.survey.rehashes = true
      $0.isDurable = true
      $0.lockWait = .seconds(300)
      $0.maximumDuration = .seconds(5_400)
      $0.maximumBytes = ByteCount(2 << 30)
      $0.maximumTransfers = 12
      $0.hasDetailedExitCode = true
      $0.talk = TalkOptions(verbosity: .quiet, logFormat: .json, color: .never)
      $0.failsFast = true
    }
    #expect(try parse(words) == expected)
  }

  @Test func `every option of get reaches its place`() throws {
    var expected = GetOptions()
    expected.question.reference = "a b/é.txt"
    expected.destination = .file("x")
    expected.sha256 = Digest(.sha256, bytes: [UInt8](repeating: 0xAB, count: 32))
    expected.maximumSize = ByteCount(1 << 20)
    expected.question.bucket = "my-app"
    expected.question.api = .gcs
    expected.question.emulator = Origin(scheme: .http, host: "127.0.0.1", port: 9199)
    let hex = String(repeating: "aB", count: 32)
    let words = [
      "get", "a b/é.txt", "x", "--sha256", hex, "--max-size", "1MiB", "--bucket", "my-app", "--api", "gcs",
      "--emulator",
      "127.0.0.1:9199",
    ]
    #expect(try parse(words) == .get(expected))
  }

  @Test func `the environment gives what the command line does not`() throws {
    let environment = ["MIRROR_JOBS": "3", "MIRROR_DRY_RUN": "1", "MIRROR_QUIET": "yes", "MIRROR_ROOT": ""]
    #expect(
      try parse(["apply", "m.yaml", "-v"], environment: environment)
        == apply {
          $0.survey.jobs = 3
          $0.isDryRun = true
          $0.talk.verbosity = .verbose
        })
    #expect(
      try parse(["apply", "m.yaml", "--jobs=9", "--dry-run=false", "--quiet=no"], environment: environment)
        == apply { $0.survey.jobs = 9 })
  }

  @Test func `a bad value names its variable, unless the command line wins over it`() throws {
    let bad = ["MIRROR_JOBS": "many"]
    #expect(
      problem(["apply", "m.yaml"], environment: bad)?.message
        == "environment variable MIRROR_JOBS: 'many' is not a whole number from 1 to 1024")
    #expect(try parse(["apply", "m.yaml", "-j1"], environment: bad) == apply { $0.survey.jobs = 1 })
  }

  @Test(
    "usage errors say what, and what to do next",
    arguments: [
      ([], "no command is given", Self.commands, "mirror"),
      (["aply"], "unknown command 'aply'", "did you mean mirror apply?", "mirror"),
      (["zzz"], "unknown command 'zzz'", Self.commands, "mirror"),
      (["-q", "apply"], "unknown option '-q'", "options stand after the command: mirror COMMAND -q", "mirror"),
      (["apply", "--jbos", "3"], "unknown option '--jbos'", "did you mean --jobs?", "mirror apply"),
      (["apply", "-nx"], "unknown option '-x' in '-nx'", nil, "mirror apply"),
      (["plan", "-x"], "unknown option '-x'", nil, "mirror plan"),
      (["check", "-json", "m"], "unknown option '-j' in '-json'", "did you mean --json?", "mirror check"),
      (["apply"], "MANIFEST is missing", "the manifest, a YAML file; - is standard input", "mirror apply"),
      (["check", ""], "MANIFEST: '' is empty", nil, "mirror check"),
      (["check", "a", "b"], "unexpected argument 'b'", "quote a name that has blanks in it", "mirror check"),
      (["apply", "m", "--jobs"], "--jobs needs a value", nil, "mirror apply"),
      (
        ["apply", "m", "--report", "--durable"], "--report needs a value, and '--durable' looks like an option",
        "write --report=--durable if it is the value", "mirror apply"
      ),
      (["apply", "m", "--jobs=0"], "--jobs: '0' is not a whole number from 1 to 1024", nil, "mirror apply"),
      (["apply", "m", "-j-1"], "--jobs: '-1' is not a whole number from 1 to 1024", nil, "mirror apply"),
      (["apply", "m", "--durable=maybe"], "--durable: 'maybe' is neither true nor false", nil, "mirror apply"),
      (["apply", "m", "--color", "red"], "--color: 'red' is none of auto, always, never", nil, "mirror apply"),
      (
        ["apply", "m", "--wait", "5"], "--wait: '5' is not a duration",
        "write a number with a unit, such as 30s, 5m, 2h or 7d", "mirror apply"
      ),
      (
        ["get", "r", "--max-size", "big"], "--max-size: 'big' is not a size",
        "write a number with a unit, such as 512KiB, 10MiB or 2GiB", "mirror get"
      ),
      (
        ["get", "r", "--sha256", "12"],
        "--sha256: '12' is no checksum: a sha256 checksum is 64 hexadecimal digits; this has 2", nil, "mirror get"
      ),
      (
        ["get", "r", "--emulator", "http://h/x"], "--emulator: 'http://h/x' is more than an address",
        "write it as 127.0.0.1:9199 or http://127.0.0.1:9199", "mirror get"
      ),
    ] as [([String], String, String?, String)])
  func usageErrors(words: [String], message: String, hint: String?, command: String) {
    #expect(problem(words) == UsageError(message: message, hint: hint, command: command))
  }

  @Test(
    "help wins over every mistake on the line",
    arguments: [
      ["apply", "--help"], ["apply", "-h"], ["apply", "--nonsense", "-h"], ["help", "apply"],
      ["help", "apply", "--all"],
    ])
  func helpWins(words: [String]) throws {
    let program = Program.mirror(version: "1.2.3")
    let apply = try #require(program.commands.first)
    #expect(try parse(words) == .show(program.helpText(for: apply.description)))
  }

  @Test("a command is found by the name that its table has", arguments: Program.mirror(version: "1.2.3").commands)
  func names(command: ProgramCommand) {
    #expect(command.name == command.description.name)
  }

  @Test("the overview is shown", arguments: [["--help"], ["-h"], ["help"], ["help", "help"]])
  func overview(words: [String]) throws {
    #expect(try parse(words) == .show(Program.mirror(version: "1.2.3").overview))
  }

  @Test("the version is said everywhere", arguments: [["--version"], ["-V"], ["get", "--version"], ["-q", "-V"]])
  func version(words: [String]) throws {
    #expect(try parse(words) == .show("mirror 1.2.3"))
  }

  @Test func `an error is three lines, and control characters are escaped on the way`() {
    let error = UsageError(message: "unknown option '\u{1B}[2J'", hint: "did you mean --jobs?", command: "mirror apply")
    #expect(
      error.text == #"error: unknown option '\u{1B}[2J'"# + "\nhint: did you mean --jobs?\nhelp: mirror apply --help")
  }
}
