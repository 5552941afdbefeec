// Runs one parser over many broken inputs and holds each against the clock.

import Foundation
import Glibc
import TestSupport
import Testing

/// `MIRROR_FUZZ_SECONDS=120 swift test --filter FuzzTests` goes on for two minutes each, from a seed of its own
/// (`MIRROR_FUZZ_SEED` to choose it). Otherwise a few thousand inputs, the same ones each time.
///
/// The input at work stands in `$TMPDIR/mirror-fuzz-NAME` (else `/tmp`), so that one that ends the process is found there.
enum Fuzzing {
  private static let environment = ProcessInfo.processInfo.environment
  private static let seconds = environment["MIRROR_FUZZ_SECONDS"].flatMap(Double.init)

  static let seed: UInt64 =
    environment["MIRROR_FUZZ_SEED"].flatMap(UInt64.init) ?? (seconds == nil ? 1 : UInt64.random(in: 0...UInt64.max))

  /// The longest that one input may take; wide, because the machine may be busy.
  private static let patience = Duration.seconds(2)

  /// - Parameters:
  ///   - name: of the file that holds the input at work.
  ///   - count: how many inputs a short run makes; it ends after two seconds at the latest.
  ///   - body: must neither trap nor hang; what it throws is a failed test.
  static func run(_ name: String, corpus: [[UInt8]], count: Int = 4_000, _ body: ([UInt8]) throws -> Void) throws {
    let path = (environment["TMPDIR"] ?? "/tmp") + "/mirror-fuzz-\(name)"
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw SystemError("open \(path)") }
    defer { close(file) }
    var mutator = Mutator(seed: seed)
    let end = ContinuousClock.now + .seconds(seconds ?? 2)
    var done = 0
    for bytes in corpus { try one(bytes, file, body) }
    while ContinuousClock.now < end, seconds != nil || done < count {
      try one(mutator.next(from: corpus), file, body)
      done += 1
    }
    // Fewer would be no test; a busy machine makes fewer than `count`.
    #expect(done > 50 / SanitizerOptions.slowness, "only \(done) inputs in two seconds")
    if seconds != nil { print("fuzz \(name): \(done) inputs from seed \(seed)") }
    unlink(path)
  }

  private static func one(_ bytes: [UInt8], _ file: Int32, _ body: ([UInt8]) throws -> Void) throws {
    guard ftruncate(file, 0) == 0, pwrite(file, bytes, bytes.count, 0) == bytes.count else {
      throw SystemError("write down the input")
    }
    let start = ContinuousClock.now
    do {
      try body(bytes)
    } catch {
      Issue.record("\(error), for \(shown(bytes)), seed \(seed)")
    }
    let elapsed = ContinuousClock.now - start
    if elapsed > patience { Issue.record("it took \(elapsed), for \(shown(bytes)), seed \(seed)") }
  }

  /// In base64, the beginning of long ones.
  private static func shown(_ bytes: [UInt8]) -> String {
    bytes.count <= 2_000
      ? Data(bytes).base64EncodedString()
      : "\(bytes.count) bytes that begin \(Data(bytes.prefix(60)).base64EncodedString())"
  }
}
