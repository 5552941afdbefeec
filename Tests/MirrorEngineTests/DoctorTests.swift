// What the doctor finds: its judgements as tables, and one examination over an emulator.

import ChildProcesses
import Credentials
import CurlTransport
@testable import LocalFiles
import MirrorPlan
import StorageEmulator
import TestSupport
import Testing
import TransferModel

@testable import MirrorEngine

@Suite struct DoctorTests {
  typealias Verdict = DoctorFinding.Verdict

  @Test(
    arguments: [
      (0, Verdict.good), (60, .good), (-60, .good), (61, .doubtful), (-300, .doubtful), (301, .bad), (-93_600, .bad),
    ] as [(Int64, Verdict)])
  func `P33 a clock that is wrong is found and named`(seconds: Int64, verdict: Verdict) throws {
    let there = Timestamp(seconds: 1_767_225_600)
    let finding = Doctor.clock(
      Timestamp(seconds: there.seconds + seconds), against: there, of: try Origin(parsing: "https://a.example"))
    #expect(finding.verdict == verdict)
    if verdict != .good {
      #expect(finding.message.contains("\(abs(seconds)) s \(seconds > 0 ? "ahead of" : "behind")"))
    }
  }

  @Test(
    arguments: [
      (10 << 30, 1_000_000, Verdict.good), (10 << 30, nil, .good), (500 << 20, 1_000_000, .doubtful),
      (10 << 30, 9_999, .doubtful), (1_000, 1_000_000, .bad), (10 << 30, 9, .bad),
    ] as [(Int64, Int64?, Verdict)])
  func `room for bytes and for files`(free: Int64, inodes: Int64?, verdict: Verdict) {
    #expect(Doctor.space(FileSystemFacts.Space(free: free, freeInodes: inodes), at: "/r").verdict == verdict)
  }

  @Test func `P88 proxies are shown without their passwords`() {
    let variables = ["https_proxy": "http://user:pass-word@p.example:3128", "NO_PROXY": "127.0.0.1", "HTTP_PROXY": "x"]
    #expect(
      Doctor.proxies { variables[$0] }.map(\.message) == [
        "https_proxy names the proxy http://p.example:3128", "HTTP_PROXY is not used",
        "no proxy is used for 127.0.0.1",
      ])
    #expect(Doctor.proxies { _ in nil }.isEmpty)
  }

  @Test(
    arguments: [
      ("tool", "bin", nil, "bin/tool"), ("tool", "none:bin", "elsewhere", "bin/tool"), ("tool", "none", nil, nil),
      ("./tool", "none", "bin", "bin/./tool"), ("bin/tool", nil, "", "bin/tool"), ("data", "bin", nil, nil),
      ("folder", "bin", nil, nil), ("", "bin", nil, nil),
    ] as [(String, String?, String?, String?)])
  func `a program is found as it would be started`(
    program: String, path: String?, start: String?, expected: String?
  ) throws {
    let folder = try TemporaryDirectory()
    try folder.write("#!/bin/sh\n", to: "bin/tool", mode: 0o755)
    try folder.write("#!/bin/sh\n", to: "bin/data", mode: 0o644)
    try folder.makeFolder("bin/folder")
    let absolute = path.map { $0.split(separator: ":").map { folder.path(String($0)) }.joined(separator: ":") }
    let startsIn = start.map { $0.isEmpty ? folder.path : folder.path($0) } ?? ""
    let found = ProgramLookup.file(of: program, startingIn: startsIn, path: absolute)
    #expect(found == expected.map { folder.path($0) })
  }

  @Test func `the program of on_change is looked for, and not run`() async throws {
    let folder = try TemporaryDirectory()
    try folder.write("#!/bin/sh\ntouch \(folder.path("ran"))\n", to: "bin/tool", mode: 0o755)
    for (name, verdict) in [("tool", Verdict.good), ("no-such-tool", .bad)] {
      var manifest = Manifest(root: folder.path("out"))
      manifest.storage.emulator = try Origin(parsing: "http://127.0.0.1:1")
      manifest.onChange = [name]
      let transport = try CurlTransport(CurlTransport.Configuration(userAgent: "test", loopCount: 1))
      defer { transport.shutdown() }
      let environment = RunEnvironment(
        transport: transport, clocks: SystemClocks(), lookUp: { $0 == "PATH" ? folder.path("bin") : nil },
        secrets: SecretReader(environment: { _ in nil }), host: "test", pause: { _ in false })
      let options = RunOptions(manifestDirectory: "", manifestPath: "m.yaml", manifestDigest: nil, version: "test")
      let findings = await Doctor(manifest, options: options, environment: environment).examine()
      let found = try #require(findings.first { $0.subject == .program })
      #expect(found.verdict == verdict && found.message.contains(name))
    }
    #expect(!folder.exists("ran"))
  }

  @Test func `an examination says what is there, what is not, and no secret`() async throws {
    let emulator = try StorageEmulator()
    try emulator.play(
      "on => date-offset +2h\non POST => status 400 body text \"{\\\"error\\\": \\\"invalid_grant\\\"}\"")
    let folder = try TemporaryDirectory()
    try folder.write(
      """
      {"type": "authorized_user", "client_id": "i", "client_secret": "secret-client", "refresh_token": "secret-refresh",
       "token_uri": "\(emulator.url)/token"}
      """, to: "login.json")
    let origin = try Origin(parsing: emulator.url)
    let transport = try CurlTransport(CurlTransport.Configuration(userAgent: "test", loopCount: 1))
    defer { transport.shutdown() }
    let variables: @Sendable (String) -> String? = { ["TOKEN": "secret-host"][$0] }
    let manifest = Manifest(
      root: folder.path("missing"), storage: StorageSettings(bucket: "b", api: .gcs, emulator: origin),
      auth: [
        .google(GoogleAuth(method: .credentialFile("login.json"), tokenOrigins: [origin])),
        .host(HostAuth(origin: origin, credential: .header("X", .env("TOKEN")))),
        .host(HostAuth(origin: origin, credential: .header("X", .env("UNSET")))),
      ],
      items: [
        Item(references: [CredentialsRun.object("a")], destination: try RelativePath("a")),
        Item(references: [try CredentialsRun.web("http://127.0.0.1:1/x")], destination: try RelativePath("x")),
      ])
    let findings = await Doctor(
      manifest,
      options: RunOptions(
        manifestDirectory: folder.path, manifestPath: "m", manifestDigest: nil, version: "test"),
      environment: RunEnvironment(
        transport: transport, clocks: SystemClocks(), lookUp: variables, secrets: SecretReader(environment: variables),
        host: "", pause: { _ in false })
    ).examine()
    let said = findings.map { "\($0.subject) \($0.verdict): \($0.message)" }
    for expected in [
      "root good: \(folder.path("missing")) is not there yet", "connection good: \(origin) answers",
      "clock bad: this machine's clock is", "connection bad: http://127.0.0.1:1",
      "credential bad: the credential for Google: \(emulator.url)/token answered 400: invalid_grant",
      "credential good: the credential for \(origin) is there",
      "credential bad: the credential for \(origin): a secret cannot be read: the environment variable UNSET is not set",
    ] {
      #expect(said.contains { $0.hasPrefix(expected) }, "\(expected) in \(said)")
    }
    #expect(!said.contains { $0.contains("secret-") })
  }
}
