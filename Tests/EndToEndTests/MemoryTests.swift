// What a run needs of memory as the number of objects grows.

import Foundation
import StorageEmulator
import TestSupport
import Testing

@Suite(.serialized) struct MemoryTests {
  /// `MIRROR_NAMES=2000000` for the number of the report that the case is from.
  private static let many = ProcessInfo.processInfo.environment["MIRROR_NAMES"].flatMap { Int($0) } ?? 40_000

  /// Runs a command to its end and gives the most memory that it had, in KiB, as the kernel counts it.
  private func peak(_ place: Workplace, _ arguments: String...) async throws -> (KiB: Int, result: ChildResult) {
    let file = place.folder.path("peak")
    let program = """
      import os, resource, subprocess, sys
      code = subprocess.call(sys.argv[2:])
      open(sys.argv[1], 'w').write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
      sys.exit(code)
      """
    let result = try await ChildProcess.run(
      "python3", ["-c", program, file, BuiltProducts.mirror] + arguments, environment: Workplace.environment([:]),
      in: place.folder.path, timeout: .seconds(600))
    return (Int(try place.folder.readText("peak")) ?? .max, result)
  }

  @Test(.disabled(if: SanitizerOptions.name != nil, "a sanitizer has memory of its own"))
  func `mirror plan: P91 memory does not grow with the names of a listing`() async throws {
    let server = try StorageEmulator.serving(
      faults: """
        generate b count 5000 prefix few/ size 10
        generate b count \(Self.many) prefix many/ per-folder 1000 size 10
        """)
    defer { server.stop() }
    var peaks: [Int] = []
    for prefix in ["few", "many"] {
      let place = try Workplace(server.port, on: .memory, "trees: [{ref: \"gs://b/\(prefix)/\", to: .}]")
      let (kibibytes, result) = try await peak(place, "plan", "mirror.yaml")
      #expect(result.status == 0, "\(result.errorText)")
      peaks.append(kibibytes)
    }
    #expect(peaks[1] < 256 << 10, "\(peaks) KiB")
    // What a thousand names a page take is there in both; a name that stayed would be seen in the millions.
    #expect(peaks[1] < peaks[0] + (32 << 10), "\(peaks) KiB")
  }

  @Test(.disabled(if: SanitizerOptions.name != nil, "a sanitizer has memory of its own"))
  func `mirror apply: P91 of many objects the one in a hundred that changed is fetched, in bounded memory`()
    async throws
  {
    let count = 5_000
    let server = try StorageEmulator.serving()
    defer { server.stop() }
    for number in 0..<count { server.put("o/\(number / 100)/\(number)", Data("object \(number)".utf8)) }
    let place = try Workplace(server.port, on: .memory, "trees: [{ref: \"gs://b/o/\", to: .}]")
    let (first, firstResult) = try await peak(place, "apply", "-q", "mirror.yaml")
    #expect(firstResult.status == 0, "\(firstResult.errorText)")
    for number in stride(from: 0, to: count, by: 100) {
      server.put("o/\(number / 100)/\(number)", Data("changed".utf8))
    }
    server.clearLog()
    let (second, result) = try await peak(place, "apply", "-q", "mirror.yaml")
    #expect(result.status == 0, "\(result.errorText)")
    #expect(max(first, second) < 128 << 10, "\(first) and \(second) KiB")
    #expect(server.log.count == count / 1_000 + count / 100)
    for number in stride(from: 0, to: count, by: 50) {
      #expect(place.text("\(number / 100)/\(number)") == (number % 100 == 0 ? "changed" : "object \(number)"))
    }
  }

  /// `MIRROR_PINNED=100000` for more of them.
  @Test func `mirror apply: thousands of pinned items that are there cost no request`() async throws {
    let count = ProcessInfo.processInfo.environment["MIRROR_PINNED"].flatMap { Int($0) } ?? 3_000
    let server = try StorageEmulator.serving(["x": Data("x".utf8)])
    defer { server.stop() }
    let sum = try await ChildProcess.run("sha256sum", input: Array("x".utf8)).outputText.prefix(64)
    let place = try Workplace(
      server.port, on: .memory,
      "items:\n" + (0..<count).map { "  - {ref: x, to: d\($0 / 100)/f\($0), sha256: \(sum)}\n" }.joined())
    let first = try await place.apply()
    #expect(first.status == 0, "\(first.said)")
    #expect(try place.names().count == count)
    server.clearLog()
    let second = try await place.apply()
    #expect(second.status == 0, "\(second.said)")
    #expect(second.report.totals.unchanged == count)
    #expect(server.requests == [])
  }
}
