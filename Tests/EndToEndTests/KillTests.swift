// A process that is killed at any moment leaves complete files, and a part that the next run continues.

import Foundation
import Glibc
import StorageEmulator
import TestSupport
import Testing

@Suite(.serialized) struct KillTests {
  private static let big = "big.bin"
  private static let bigSize = 64 << 20

  /// The content of each object, before and after.
  private static let old = contents(version: 1, bigSize: 3_000)
  private static let new = contents(version: 2, bigSize: bigSize)

  private static func contents(version: UInt64, bigSize: Int) -> [String: Data] {
    var contents = [big: TestBytes.make(bigSize, seed: version)]
    for index in 0..<60 {
      contents["small/\(index)"] = TestBytes.make(2_000, seed: version * 1_000 + UInt64(index))
    }
    return contents
  }

  /// Counts the bytes of the big object that came in runs that nobody could ask afterwards: from where they were asked
  /// for, to where the part ended when the run was killed.
  private struct Tally {
    var received = 0
    var asked: [Int] = []

    mutating func add(_ server: StorageEmulator, _ place: Workplace) {
      guard let request = server.log.first(where: { $0.target.contains("/\(big)?") }) else { return }
      let start = request.fields["Range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
      asked.append(start)
      received += max(0, (place.partSizes().max() ?? 0) - start)
    }
  }

  @Test func `mirror apply, killed again and again: P64 all that was fetched is pruned when it is gone`() async throws {
    let names = (0..<400).map { "f/\($0)" }
    let server = try StorageEmulator.serving(Dictionary(uniqueKeysWithValues: names.map { ($0, Data($0.utf8)) }))
    defer { server.stop() }
    let place = try Workplace(
      server.port, "trees: [{ref: \"gs://b/\", to: ., prune: {enabled: true, max: 100%}}]")
    var isWhole = false
    for milliseconds in [40, 50, 60, 80, 100, 130] where !isWhole {
      let child = try place.start("apply", "-q", "mirror.yaml")
      try await Task.sleep(for: .milliseconds(milliseconds))
      child.send(signal: SIGKILL)
      isWhole = child.wait(for: .seconds(20)) == .exited(0)
    }
    #expect(try await place.apply().status == 0)
    #expect(try place.names().count == names.count)
    for name in names.dropFirst() { server.objects.remove("b", name) }
    let last = try await place.apply()
    #expect(last.status == 0, "\(last.said)")
    #expect(try place.names() == [names[0]])
  }

  @Test func `mirror apply, killed twenty times: P22 P66 final names are whole, parts are continued`() async throws {
    let server = try StorageEmulator.serving(Self.old)
    defer { server.stop() }
    let names = Self.new.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let place = try Workplace(
      server.port, on: .memory, "items:\n" + names.map { "  - {ref: \($0), to: \($0)}\n" }.joined())
    let first = try await place.apply()
    #expect(first.status == 0, "\(first.said)")
    for (name, bytes) in Self.new { server.put(name, bytes) }
    try server.play("on media b/\(Self.big) => throttle 6MiB/s\non media b/small/* => delay 20ms")

    var random = SplitMix64(seed: 20)
    var tally = Tally()
    for round in 0..<20 {
      server.clearLog()
      let child = try place.start("apply", "-q", "mirror.yaml")
      // Most moments are counted from the first request on, because a busy machine may take long to start a process.
      if round == 0 {
        try await eventually("a part is worth a record") { (place.partSizes().max() ?? 0) > 2 << 20 }
      } else if round % 4 != 0 {
        try await eventually("something is asked for") { !server.log.isEmpty }
      }
      _ = child.wait(for: .milliseconds(Int64(random.next() % 400)))
      child.send(signal: SIGKILL)
      #expect(child.wait(for: .seconds(30)) == .signalled(SIGKILL))
      tally.add(server, place)
      for (name, new) in Self.new {
        let now = place.content(name)
        #expect(now == new || now == Self.old[name], "round \(round): \(name) has \(now?.count ?? -1) bytes")
      }
    }
    let last = try await place.apply()
    #expect(last.status == 0, "\(last.said)")
    for (name, new) in Self.new { #expect(place.content(name) == new, "\(name)") }
    #expect(try place.names() == names)
    let item = try last.item(Self.big)
    #expect(item.bytesResumed > 0)
    // What is lost is what came before a part was worth a record, a MiB at most.
    #expect(tally.received + item.bytes < Self.bigSize * 5 / 4, "asked from \(tally.asked)")
  }
}
