// The words of `mirror cache`.

import Testing
import TransferModel

@testable import MirrorCLI

@Suite struct CacheOptionsTests {
  private func parse(_ line: String) throws(UsageError) -> Invocation {
    try Program.mirror(version: "1.2.3").parse(line.split(separator: " ").map(String.init), environment: { _ in nil })
  }

  @Test(
    "mirror cache: every option reaches its place",
    arguments: [
      ("cache d", CacheOptions(folder: "d")),
      ("cache --json d", CacheOptions(folder: "d", writesJSON: true)),
      ("cache d --older-than 7d", CacheOptions(folder: "d", maximumAge: .seconds(7 * 86_400))),
      ("cache --keep 1MiB d", CacheOptions(folder: "d", maximumSize: ByteCount(1 << 20))),
      ("cache --keep=0 d", CacheOptions(folder: "d", maximumSize: 0)),
      (
        "cache --older-than 90s --keep 2KB -q d",
        CacheOptions(
          talk: TalkOptions(verbosity: .quiet), folder: "d", maximumAge: .seconds(90), maximumSize: ByteCount(2_000))
      ),
      ("cache --clear d", CacheOptions(folder: "d", clears: true)),
      ("cache --clear=false d", CacheOptions(folder: "d")),
    ])
  func options(line: String, options: CacheOptions) throws {
    #expect(try parse(line) == .cache(options))
  }

  @Test(
    "mirror cache: what cannot be meant is refused",
    arguments: [
      ("cache", "DIR is missing"), ("cache a b", "unexpected argument 'b'"),
      ("cache --keep all d", "--keep: 'all' is not a size"), ("cache --keep=-1 d", "--keep: '-1' is not a size"),
      ("cache --older-than 7 d", "--older-than: '7' is not a duration"),
    ])
  func problems(line: String, message: String) {
    let error = #expect(throws: UsageError.self) { try parse(line) }
    #expect(error?.message == message)
  }
}
