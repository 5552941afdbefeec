// A server of ranges in virtual time, and a download from it into a real part file.

import FileTransfer
import LocalFiles
import TestSupport
import TransferModel

/// One object behind connections of which each brings 64 KiB every 40 ms, some 1.6 MB/s.
struct RangeSite: Sendable {
  static let size = 12 << 20
  static let content = bytes(seed: 1)
  private static let chunk = 64 << 10

  var content = Self.content
  var tag = "\"v1\""
  var fields: [(String, String)] = []

  static func bytes(seed: UInt64) -> [UInt8] {
    var random = SplitMix64(seed: seed)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      let words = UnsafeMutableRawBufferPointer(buffer).bindMemory(to: UInt64.self)
      for place in words.indices { words[place] = random.next() }
      count = size
    }
  }

  /// The range of a request, clamped; nil = the whole object.
  func range(of request: HTTPRequest) -> Range<Int>? {
    guard let field = request.fields["Range"] else { return nil }
    let ends = field.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
    guard let first = Int(ends[0]) else { return nil }
    return first..<(Int(ends[1]).map { $0 + 1 } ?? content.count)
  }

  /// What an honest server answers.
  func answer(_ request: HTTPRequest) -> ScriptedAnswer {
    guard let range = range(of: request) else { return send(200, 0..<content.count) }
    if let condition = request.fields["If-Range"], condition != tag { return send(200, 0..<content.count) }
    return send(206, range)
  }

  func send(_ status: Int, _ range: Range<Int>, labelled label: String? = nil) -> ScriptedAnswer {
    var all = fields + [("ETag", tag)]
    if status == 206 {
      all.append(("Content-Range", label ?? "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)"))
    }
    let head = HTTPResponseHead(
      status: status, fields: HTTPFields(all.map { HTTPFields.Field($0.0, $0.1) }), contentLength: Int64(range.count))
    var steps = [ScriptedAnswer.Step.head(head)]
    for begin in stride(from: range.lowerBound, to: range.upperBound, by: Self.chunk) {
      steps += [.wait(.milliseconds(40)), .bytes(Array(content[begin..<min(begin + Self.chunk, range.upperBound)]))]
    }
    return ScriptedAnswer(steps)
  }
}

extension ScriptedAnswer {
  /// The same, cut after so many steps by a fault, `wait` later.
  func cut(after count: Int, _ kind: TransportFault.Kind, wait: Duration = .zero) -> ScriptedAnswer {
    var copy = self
    copy.steps = steps.prefix(count) + [.wait(wait), .fail(kind)]
    return copy
  }
}

/// Writes records into memory, at once.
final class RecordedStretches: StretchKeeper {
  struct Record: Equatable, Sendable {
    var version: ObjectVersion
    var stretches: [Range<Int64>]
  }

  struct State: Sendable {
    var record: Record?
    var count = 0
    var forgotten = 0
  }

  let state = Lock(State())
  private let accepts: Bool

  init(accepting accepts: Bool = true) { self.accepts = accepts }

  var record: Record? { state.withLock { $0.record } }

  func keep(
    _ version: ObjectVersion, _ stretches: [Range<Int64>],
    after syncing: @escaping @Sendable () throws(TransferFailure) -> Void, done: @escaping @Sendable (Bool) -> Void
  ) { done(keepNow(version, stretches, after: syncing)) }

  func keepNow(
    _ version: ObjectVersion, _ stretches: [Range<Int64>],
    after syncing: @escaping @Sendable () throws(TransferFailure) -> Void
  ) -> Bool {
    guard accepts, (try? syncing()) != nil else { return false }
    state.withLock { state in
      state.record = Record(version: version, stretches: stretches)
      state.count += 1
    }
    return true
  }

  func forget() {
    state.withLock { state in
      state.record = nil
      state.forgotten += 1
    }
  }

  func end() {}
}

/// Lends so many streams; touched by the driving thread alone.
final class CountingLender: StreamLender {
  private(set) var free: Int
  var wantsStreamsBack = false
  init(_ free: Int) { self.free = free }
  func lendStream() -> Bool {
    guard free > 0 else { return false }
    free -= 1
    return true
  }
  func giveBackStream() { free += 1 }
}

/// One download by ranges, to its end.
struct RangeRun {
  var result: DownloadResult
  var requests: [HTTPRequest]
  var elapsed: Duration
  var file: [UInt8]?
  var keeper: RecordedStretches
  let folder: TemporaryDirectory

  /// - Parameters:
  ///   - resuming: what an earlier run left.
  ///   - cancelAfter: when the run is told to stop.
  static func run(
    resuming earlier: RangeRun? = nil, streams: Int = 4, pins: DigestSet = DigestSet(), keeps: Bool = true,
    lender: CountingLender? = nil, cancelAfter: Duration? = nil, random: Double = 0,
    answer: @escaping @Sendable (HTTPRequest, Int) -> ScriptedAnswer
  ) throws -> RangeRun {
    let folder = try earlier?.folder ?? TemporaryDirectory(on: .memory)
    let keeper = RecordedStretches(accepting: keeps)
    let transport = ScriptedTransport(answer)
    let services = TransferServices(
      transport: transport, clocks: FixedClocks(random: random), redact: { $0 })
    let directories = DirectoryCache(try RootDirectory(opening: folder.path))
    var options = PartialFile.Options()
    options.resume = earlier != nil
    options.stretches = earlier?.keeper.record?.stretches
    let (final, name) = (options, try RelativePath("object"))
    var spec = DownloadSpec(
      endpoints: [WebEndpoint(try HTTPURL(parsing: "http://a.example/object"))],
      owner: ClosureOwner { algorithms throws(TransferFailure) in
        try PartialFile(name, in: directories, digest: try StreamingDigest(algorithms), options: final)
      },
      terms: Shared(DownloadTerms(ranges: RangePolicy(cutoff: 4 << 20, streams: streams))),
      pins: DownloadSpec.Pins(digests: pins), part: earlier?.keeper.record?.version)
    spec.closures.keeper = keeper
    spec.hasPartRecord = earlier != nil
    let download = Download(spec, lender: lender ?? CountingLender(16), cancelAfter: cancelAfter)
    let ended = Lock<DownloadResult?>(nil)
    transport.run(onLoop: 0) { loop in download.start(services, loop) { result in ended.withLock { $0 = result } } }
    let elapsed = transport.drive()
    guard let result = ended.withLock({ $0 }) else { throw DownloadHarness.NeverEnded() }
    return RangeRun(
      result: result, requests: transport.requests, elapsed: elapsed, file: try? folder.read("object"), keeper: keeper,
      folder: folder)
  }

  /// What is started on the loop's thread, which is the test's own.
  private final class Download: Sendable {
    private let spec: DownloadSpec
    private nonisolated(unsafe) let lender: CountingLender
    private let cancelAfter: Duration?

    init(_ spec: DownloadSpec, lender: CountingLender, cancelAfter: Duration?) {
      self.spec = spec
      self.lender = lender
      self.cancelAfter = cancelAfter
    }

    func start(
      _ services: TransferServices, _ loop: any TransferLoop, _ done: @escaping @Sendable (DownloadResult) -> Void
    ) {
      let free = lender.free
      let download = ObjectDownload(Shared(spec), services: services, loop: loop, streamLender: lender) {
        [lender] result in
        precondition(lender.free == free, "every stream is given back")
        done(result)
      }
      if let cancelAfter { loop.schedule(after: cancelAfter) { download.cancel() } }
      download.start()
    }
  }

  var failure: TransferFailure? {
    if case .failed(let failure) = result.ending { return failure }
    return nil
  }

  /// Not by `==` in an expectation, which would print megabytes.
  func brought(_ site: RangeSite) -> Bool { file == site.content }

  var ranges: [String] { requests.map { $0.fields["Range"] ?? "-" } }
}
