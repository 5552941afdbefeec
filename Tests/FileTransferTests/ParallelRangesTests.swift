// One object by several streams, in virtual time: what is asked, what is kept, and what happens when a range goes wrong.

import FileTransfer
import LocalFiles
import TestSupport
import Testing
import TransferModel

@Suite("Parallel ranges")
struct ParallelRangesTests {
  private let site = RangeSite()
  private let other = RangeSite(content: RangeSite.bytes(seed: 2), tag: "\"v2\"")

  @Test("streams that bring more are started, bound to one version, and the file is whole") func faster() throws {
    let alone = try RangeRun.run(streams: 1) { [site] request, _ in site.answer(request) }
    let run = try RangeRun.run { [site] request, _ in site.answer(request) }
    #expect(run.brought(site))
    #expect(run.result.streams == 4 && alone.result.streams == 1)
    #expect(run.elapsed.inSeconds < 0.55 * alone.elapsed.inSeconds, "\(run.elapsed), \(alone.elapsed)")
    #expect(alone.ranges == ["-"])
    #expect(run.requests.dropFirst().allSatisfy { $0.fields["If-Range"] == "\"v1\"" })
    // What comes after a stream was cut short is little.
    #expect(run.result.bytesReceived < Int64(RangeSite.size) + 8 * 65_536)
    #expect(run.result.attempts.count == 1)
  }

  @Test("digests that need every byte in order are right") func pinned() throws {
    let digests = try StreamingDigest.digests(of: site.content, [.sha256, .md5])
    let run = try RangeRun.run(pins: digests) { [site] request, _ in site.answer(request) }
    guard case .stored(let object) = run.result.ending else {
      Issue.record("\(run.result.ending)")
      return
    }
    #expect(object.evidence == .pinnedDigest)
    #expect(run.result.streams == 4)
    #expect(run.brought(site))
  }

  @Test("the checksums of the stretches combine to the object's") func combined() throws {
    let checksum = try StreamingDigest.digests(of: site.content, [.crc32c])
    let run = try RangeRun.run { [site] request, _ in site.answer(request) }
    guard case .stored(let object) = run.result.ending else {
      Issue.record("\(run.result.ending)")
      return
    }
    #expect(object.digests == checksum)
  }

  @Test("what has no strong validator, says `none`, or is transcoded is not divided", arguments: [0, 1, 2, 3])
  func notDivided(row: Int) throws {
    var site = site
    switch row {
    case 0: site.tag = "W/\"v1\""
    case 1: site.fields = [("Accept-Ranges", "none")]
    case 2: site.fields = [("Content-Encoding", "gzip"), ("x-goog-stored-content-encoding", "identity")]
    default: break
    }
    let final = site
    let run = try RangeRun.run(lender: row == 3 ? CountingLender(0) : nil) { request, _ in final.answer(request) }
    #expect(run.ranges == ["-"])
    #expect(run.brought(site))
  }

  @Test("a part whose stretches cannot be written down is not divided") func noRecord() throws {
    let run = try RangeRun.run(keeps: false) { [site] request, _ in site.answer(request) }
    #expect(run.ranges == ["-"])
    #expect(run.brought(site))
  }

  @Test(
    "P10, P12, P13: a server whose ranges are no good is left to one stream, and nothing is lost",
    arguments: [0, 1, 2, 3])
  func uselessRanges(row: Int) throws {
    let run = try RangeRun.run { [site] request, _ in
      guard let range = site.range(of: request) else { return site.answer(request) }
      switch row {
      case 0: return site.send(200, 0..<RangeSite.size)
      case 1: return site.send(206, range, labelled: "bytes")
      case 2: return site.send(206, range, labelled: "bytes \(range.lowerBound + 17)-\(range.upperBound + 16)/*")
      default: return .status(416, [("Content-Range", "bytes */\(RangeSite.size)")])
      }
    }
    #expect(run.brought(site))
    #expect(run.requests.count == 2, "\(run.ranges)")
    #expect(run.result.bytesReceived == Int64(RangeSite.size))
  }

  @Test("P16: a range of another version restarts the object; no byte of it is mixed in", arguments: [0, 1, 2])
  func replaced(row: Int) throws {
    let run = try RangeRun.run { [site, other] request, number in
      if number <= 2 { return site.answer(request) }
      if number > 3 { return other.answer(request) }
      switch row {
      case 0: return other.answer(request)
      case 1: return .status(412)
      default: return other.send(206, other.range(of: request) ?? 0..<1)
      }
    }
    #expect(run.brought(other))
    #expect(run.result.attempts.contains { $0.failure?.reason == .changedDuringTransfer })
    #expect(run.keeper.state.withLock { $0.forgotten } > 0)
  }

  @Test("a range that breaks off is continued where it broke") func brokenRange() throws {
    let run = try RangeRun.run { [site] request, number in
      let answer = site.answer(request)
      return number == 2 ? answer.cut(after: 9, .connectionReset) : answer
    }
    #expect(run.brought(site))
    let first = try #require(site.range(of: run.requests[1])), next = try #require(site.range(of: run.requests[2]))
    #expect(next.lowerBound == first.lowerBound + 4 * 65_536)
    #expect(run.result.attempts.compactMap { $0.failure?.reason } == [.connectionReset])
  }

  @Test("P11: a range that is honestly shorter is completed") func shortRange() throws {
    let run = try RangeRun.run { [site] request, number in
      guard number == 2, let range = site.range(of: request) else { return site.answer(request) }
      return site.send(206, range.lowerBound..<range.lowerBound + 300_000)
    }
    #expect(run.brought(site))
  }

  @Test("a first stream that stalls holds up no other either") func firstStalled() throws {
    let run = try RangeRun.run { [site] request, number in
      let answer = site.answer(request)
      return number == 1 ? answer.cut(after: 60, .stalled, wait: .seconds(30)) : answer
    }
    #expect(run.brought(site))
    #expect(run.result.duration < .seconds(14))
  }

  @Test("a stream that stalls holds up no other, and its range is asked for again") func stalled() throws {
    let run = try RangeRun.run { [site] request, number in
      let answer = site.answer(request)
      return number == 2 ? answer.cut(after: 5, .stalled, wait: .seconds(30)) : answer
    }
    #expect(run.brought(site))
    #expect(run.result.duration < .seconds(12))
  }

  @Test("P21: a whole that is wrong is fetched once more, in one piece", arguments: [true, false]) func wrongOnce(
    heals: Bool
  ) throws {
    let checksum = try StreamingDigest.digests(of: site.content, [.crc32c])
    var wrong = site
    wrong.content[RangeSite.size * 3 / 4] ^= 1
    let run = try RangeRun.run(pins: checksum) { [site, wrong] request, number in
      site.range(of: request) == nil && heals ? site.answer(request) : wrong.answer(request)
    }
    #expect(run.ranges.filter { $0 == "-" }.count == 2)
    #expect(run.ranges.last == "-")
    if heals {
      #expect(run.brought(site))
    } else {
      #expect(run.failure?.reason == .checksumMismatch)
      #expect(run.file == nil)
    }
  }

  @Test("P23: a server that asks for patience is asked by fewer streams") func throttled() throws {
    let run = try RangeRun.run { [site] request, number in
      number == 3 ? .status(429, [("Retry-After", "1")]) : site.answer(request)
    }
    #expect(run.brought(site))
    #expect(run.result.streams <= 4)
    #expect(run.requests.count <= 8, "\(run.ranges)")
    #expect(run.result.attempts.count == 2)
  }

  @Test("a server that refuses further streams serves the first") func refused() throws {
    let run = try RangeRun.run { [site] request, number in number == 1 ? site.answer(request) : .status(403) }
    #expect(run.brought(site))
    #expect(run.requests.count == 2, "\(run.ranges)")
  }

  @Test(
    "a cancelled download leaves what it has, and the next run asks for the holes alone",
    arguments: [1_700, 2_000, 2_500])
  func resumed(milliseconds: Int) throws {
    let first = try RangeRun.run(cancelAfter: .milliseconds(milliseconds)) { [site] request, _ in site.answer(request) }
    #expect(first.failure?.reason == .cancelled)
    let kept = try #require(first.keeper.record).stretches
    #expect(kept.count > 1)
    let held = kept.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
    #expect(first.result.bytesParked == held)
    let second = try RangeRun.run(resuming: first) { [site] request, _ in site.answer(request) }
    #expect(second.brought(site))
    #expect(second.result.bytesResumed == held)
    for request in second.requests {
      let found = try #require(site.range(of: request))
      let range = Int64(found.lowerBound)..<Int64(found.upperBound)
      for stretch in kept {
        #expect(!stretch.overlaps(range), "\(range) \(kept)")
      }
    }
  }

  @Test("P16: holes of a version that is gone are not filled from another") func resumedReplaced() throws {
    let first = try RangeRun.run(cancelAfter: .seconds(2)) { [site] request, _ in site.answer(request) }
    let second = try RangeRun.run(resuming: first) { [other] request, _ in other.answer(request) }
    #expect(second.brought(other))
    #expect(second.result.bytesResumed == 0)
    #expect(second.keeper.state.withLock { $0.forgotten } == 1)
  }

  @Test("holes are filled one by one where only one stream is allowed") func resumedAlone() throws {
    let first = try RangeRun.run(cancelAfter: .seconds(2)) { [site] request, _ in site.answer(request) }
    let holes = try #require(first.keeper.record).stretches.count
    let second = try RangeRun.run(resuming: first, streams: 1) { [site] request, _ in site.answer(request) }
    #expect(second.brought(site))
    #expect(second.result.streams == 1)
    #expect(second.requests.count == holes)
  }
}
