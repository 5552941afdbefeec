// Runs one download against a script, in virtual time, into memory.

import FileTransfer
import LocalFiles
import TestSupport
import TransferModel

/// Everything that a test of one download wants to see.
struct DownloadHarness {
  static let content = Array("The quick brown fox jumps over the lazy dog".utf8)
  /// From the hash vectors.
  static let crc32c = "ImIEBA=="
  static let url = "http://a.example/fox"

  var result: DownloadResult
  var requests: [HTTPRequest]
  var elapsed: Duration
  var sink: RecordingSink

  /// - Parameters:
  ///   - part: bytes that are there already, with the version that they belong to.
  ///   - urls: the mirrors.
  static func run(
    _ answers: [ScriptedAnswer], urls: [String] = [url], part: (bytes: [UInt8], version: ObjectVersion)? = nil,
    authorizer: any RequestAuthorizer = AnonymousAuthorizer(), random: Double = 0,
    configure: (inout DownloadSpec) -> Void = { _ in }
  ) throws -> DownloadHarness {
    try run(
      ScriptedTransport(answers), urls: urls, part: part, authorizer: authorizer, random: random, configure: configure)
  }

  static func run(
    _ transport: ScriptedTransport, urls: [String] = [url], part: (bytes: [UInt8], version: ObjectVersion)? = nil,
    authorizer: any RequestAuthorizer = AnonymousAuthorizer(), random: Double = 0, hosts: HostMemory = HostMemory(),
    configure: (inout DownloadSpec) -> Void = { _ in }
  ) throws -> DownloadHarness {
    let services = TransferServices(
      transport: transport, clocks: FixedClocks(random: random), authorizer: authorizer, hosts: hosts,
      redact: { $0 })
    let sink = RecordingSink(part?.bytes ?? [])
    let sinkBox = LoopConfined(sink)
    var spec = DownloadSpec(
      endpoints: try urls.map { WebEndpoint(try HTTPURL(parsing: $0)) },
      owner: ClosureOwner { algorithms throws(TransferFailure) in
        let sink = sinkBox.unguardedForTests
        try sink.open(algorithms)
        return sink
      }, part: part?.version)
    configure(&spec)
    let final = Shared(spec)
    let ended = Lock<DownloadResult?>(nil)
    transport.run(onLoop: 0) { loop in
      ObjectDownload(final, services: services, loop: loop) { result in
        ended.withLock { earlier in
          precondition(earlier == nil, "a download completes once")
          earlier = result
        }
      }.start()
    }
    let elapsed = transport.drive()
    guard let result = ended.withLock({ $0 }) else { throw NeverEnded() }
    return DownloadHarness(result: result, requests: transport.requests, elapsed: elapsed, sink: sink)
  }

  struct NeverEnded: Error {}

  var stored: StoredObject? {
    if case .stored(let object) = result.ending { return object }
    return nil
  }

  var failure: TransferFailure? {
    if case .failed(let failure) = result.ending { return failure }
    return nil
  }

  /// The `Range` fields in the order of the requests; "" for none.
  var ranges: [String] { requests.map { $0.fields["Range"] ?? "" } }
}

/// Memory that remembers what was done to it.
final class RecordingSink: ByteSink {
  private(set) var bytes: [UInt8]
  private(set) var events: [String] = []
  private var algorithms: DigestAlgorithms = []

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func open(_ algorithms: DigestAlgorithms) throws(TransferFailure) {
    self.algorithms = algorithms
    events.append("open")
  }

  var position: Int64 { Int64(bytes.count) }

  func restart() {
    if !bytes.isEmpty { events.append("restart") }
    bytes = []
  }

  func write(_ more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }

  func digests() throws(TransferFailure) -> DigestSet {
    let digest = try StreamingDigest(algorithms)
    bytes.withUnsafeBytes { digest.update($0) }
    return try digest.snapshot()
  }

  func commit(modified: Timestamp?) -> LocalStamp? {
    events.append("commit")
    return LocalStamp(size: position, modified: 0, inode: 1)
  }

  func park() { events.append("park") }
  func discard() { events.append("discard") }

  /// What became of the bytes.
  var fate: String { events.last ?? "" }
}

/// Clocks that never move, and dice that always show the same.
struct FixedClocks: Clocks {
  private let dice: Double
  func monotonic() -> MonotonicInstant { MonotonicInstant(sinceOrigin: .zero) }
  func utc() -> Timestamp { Timestamp(seconds: 1_700_000_000) }
  func random() -> Double { dice }

  init(random: Double) { dice = random }
}

extension LoopConfined {
  /// The driving thread is the only thread here.
  fileprivate var unguardedForTests: Value { value(on: NoLoop()) }
}

/// Stands for the promise of being on the loop's thread, where no loop is at hand.
private final class NoLoop: TransferLoop {
  let index = 0
  let idleTime = Duration.zero
  let now = MonotonicInstant(sinceOrigin: .zero)
  func start(_ request: HTTPRequest, delivering handler: any ExchangeHandler) -> ExchangeID { ExchangeID(0) }
  func cancel(_ exchange: ExchangeID) {}
  func resumeBody(of exchange: ExchangeID) {}
  func schedule(after delay: Duration, _ action: @escaping () -> Void) -> TimerID { TimerID(0) }
  func cancel(_ timer: TimerID) {}
}
