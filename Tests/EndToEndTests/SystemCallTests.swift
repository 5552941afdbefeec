// How many system calls a file costs: a count, so it is a test and no benchmark.

import Foundation
import TestSupport
import Testing

private let strace = "/usr/bin/strace"

private var hasTools: Bool { FileManager.default.isExecutableFile(atPath: strace) && NginxServer.isAvailable }

@Suite(.serialized) struct SystemCallTests {
  /// Two runs, so that what a run costs by itself (libraries, threads, the state) falls out of the difference.
  @Test(
    .enabled(if: hasTools, "needs strace and nginx"),
    .disabled(if: SanitizerOptions.name != nil, "a sanitizer makes calls of its own"))
  func `mirror apply: a small file costs at most 16 system calls`() async throws {
    let few = try await callsOfARun(files: 100)
    let many = try await callsOfARun(files: 600)
    let each = Double(many - few) / 500
    #expect(each <= 16, "\(each) a file")
    // Less than this, and the counting is broken: sendto, recvfrom, openat, pwrite, close and renameat are six.
    #expect(each >= 6, "\(each) a file")
  }

  /// All system calls of all threads of one run that downloads that many files of 4 KiB, each with a pinned sha256.
  private func callsOfARun(files: Int) async throws -> Int {
    let folder = try TemporaryDirectory(named: "mirror-calls")
    var manifest = "version: 1\nroot: out\nreport: {json: report.json}\nitems:\n"
    // sha256 of 4,096 bytes of 0.
    let pin = "ad7facb2586fc6e966c004d7d1d16b024f5805ff7cb47c7a85dabd8b48892ca7"
    let content = String(repeating: "\0", count: 4_096)
    let server = try {
      for number in 0..<files { try folder.write(content, to: "www/f\(number)") }
      return try NginxServer(serving: folder.path("www"))
    }()
    defer { server.stop() }
    for number in 0..<files { manifest += "  - {ref: \"\(server.base)/f\(number)\", to: f\(number), sha256: \(pin)}\n" }
    try folder.write(manifest, to: "manifest.yaml")
    let run = try await ChildProcess.run(
      strace,
      [
        "-f", "-c", "-o", folder.path("calls"), BuiltProducts.mirror, "apply", "-q", folder.path("manifest.yaml"),
      ], timeout: .seconds(60))
    #expect(run.status == 0, "\(run.errorText)")
    return try Self.total(folder.readText("calls"))
  }

  /// The line `100.00 1.788843 59 30096 2117 total` of a count; the number of calls is its fourth, or its third where
  /// strace leaves the mean out.
  private static func total(_ text: String) throws -> Int {
    let line = try #require(text.split(separator: "\n").last { $0.hasSuffix("total") })
    let header = try #require(text.split(separator: "\n").first)
    let columns = header.split(separator: " ")
    // `% time` are two words of the header and one column.
    let place = try #require(columns.firstIndex(of: "calls")) - 1
    let words = line.split(separator: " ")
    return try #require(words.indices.contains(place) ? Int(words[place]) : nil)
  }
}
