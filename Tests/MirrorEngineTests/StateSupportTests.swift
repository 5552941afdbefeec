// The tests' own tools, tried once each.

import Glibc
import TestSupport
import Testing
import TransferModel

@Suite("Test support")
struct StateSupportTests {
  @Test("a temporary folder is written, listed in byte order, and gone afterwards")
  func temporaryDirectory() throws {
    var folder: TemporaryDirectory? = try TemporaryDirectory(on: .memory)
    let path = try #require(folder?.path)
    try folder?.write("one", to: "b/one.txt")
    try folder?.write([0, 255], to: "a")
    #expect(try folder?.tree().map(\.path) == ["a", "b", "b/one.txt"])
    #expect(try folder?.files() == ["a": [0, 255], "b/one.txt": Array("one".utf8)])
    folder = nil
    #expect(throws: SystemError.self) { try TemporaryDirectory.bytes(ofFile: "\(path)/a") }
  }

  @Test("a child gets its arguments, input, variables and folder, and no other descriptor")
  func childProcess() async throws {
    // Descriptor 3 is the one that `ls` reads the folder with.
    let folder = try TemporaryDirectory()
    let result = try await ChildProcess.run(
      "/bin/sh", ["-c", "cat; echo \"$1 $WORD\"; pwd; ls -m /proc/self/fd; echo oops >&2; exit 7", "sh", "first"],
      environment: ["WORD": "second", "PATH": "/usr/bin:/bin"], input: Array("in\n".utf8), in: folder.path)
    #expect(result.outputText == "in\nfirst second\n\(folder.path)\n0, 1, 2, 3\n")
    #expect(result.errorText == "oops\n")
    #expect(result.status == 7)
  }

  @Test("a child that does not end in time is killed")
  func childTimesOut() async throws {
    await #expect(throws: ChildTimedOut.self) {
      try await ChildProcess.run("/bin/sleep", ["60"], timeout: .milliseconds(20))
    }
    let child = try ChildProcess("/bin/sleep", ["60"])
    #expect(child.end == nil)
    child.send(signal: 15)
    #expect(child.wait(for: .seconds(5)) == .signalled(15))
  }

  @Test("the programs of the package lie where the tests were built")
  func builtProducts() {
    #expect(access(BuiltProducts.mirror, X_OK) == 0)
    #expect(access(BuiltProducts.storageEmulator, X_OK) == 0)
    #expect(access("\(BuiltProducts.packageFolder)/Package.swift", R_OK) == 0)
  }

  @Test("manual clocks move only when told, and the time of day moves alone")
  func manualClocks() {
    let clocks = ManualClocks(start: Timestamp(seconds: 10, nanoseconds: 900_000_000), scripted: [0.25])
    clocks.advance(by: .milliseconds(1_200))
    #expect(clocks.utc() == Timestamp(seconds: 12, nanoseconds: 100_000_000))
    clocks.setTimeOfDay(Timestamp(seconds: 5))
    #expect(clocks.utc() == Timestamp(seconds: 5))
    #expect(clocks.monotonic() == MonotonicInstant(sinceOrigin: .milliseconds(1_200)))
    #expect(clocks.random() == 0.25)
    #expect((0..<1).contains(clocks.random()))
  }

  @Test("splitmix64 gives the published first numbers of seed 1234567")
  func splitMix() {
    var generator = SplitMix64(seed: 1_234_567)
    #expect(generator.next() == 6_457_827_717_110_365_317)
    #expect(generator.next() == 3_203_168_211_198_807_973)
    #expect(generator.bytes(9).count == 9)
  }

  @Test("a file of a folder that is not ours cannot be opened without privileges")
  func unprivileged() throws {
    let folder = try TemporaryDirectory()
    try folder.write("secret", to: "file", mode: 0o000)
    #expect(throws: SystemError.self) { try withoutFilePrivileges { try folder.read("file") } }
  }

  @Test(
    "nginx serves a folder over every scheme", .enabled(if: NginxServer.isAvailable, "nginx is not installed"),
    arguments: [(NginxServer.Scheme.http, "1.1"), (.https, "1.1"), (.https2, "2")])
  func nginx(scheme: NginxServer.Scheme, version: String) async throws {
    let folder = try TemporaryDirectory()
    try folder.write("hello", to: "a b.txt")
    let server = try await onOwnThread {
      try NginxServer(serving: folder.path, scheme: scheme, snippets: .init(location: "add_header X-Test yes;"))
    }
    let trust = server.certificate.map { ["--cacert", $0.certificatePath] } ?? []
    let result = try await ChildProcess.run(
      "curl", ["-sS", "-D", "-", "-w", " %{http_version}"] + trust + ["\(server.base)/a%20b.txt"])
    #expect(result.errorText == "")
    #expect(result.outputText.lowercased().contains("x-test: yes"))
    #expect(result.outputText.hasSuffix("hello \(version)"))
    #expect(try server.requests() == ["GET /a%20b.txt 200 -"])
    server.stop()
    #expect(!LoopbackSocket.accepts(port: server.port))
  }

  @Test(
    "fake-gcs-server takes an object and gives it back",
    .enabled(if: FakeGCSServer.isAvailable, Comment(rawValue: FakeGCSServer.howToGet)))
  func fakeGCSServer() async throws {
    let answers = try await onOwnThread {
      let server = try FakeGCSServer()
      try server.makeBucket("bucket")
      try server.upload(Array("hello".utf8), to: "dir/a b.txt", in: "bucket", contentType: "text/plain")
      let target = "/storage/v1/b/bucket/o/\(FakeGCSServer.escape("dir/a b.txt"))"
      let answers = try (
        PlainHTTP.request(port: server.port, target), PlainHTTP.request(port: server.port, "\(target)?alt=media")
      )
      try server.delete("dir/a b.txt", in: "bucket")
      #expect(try PlainHTTP.request(port: server.port, target).status == 404)
      return answers
    }
    #expect(answers.0.text.contains("\"crc32c\":\"mnG7TA==\""))
    #expect(answers.1.text == "hello")
    #expect(answers.1.header("x-goog-generation") != nil)
  }
}
