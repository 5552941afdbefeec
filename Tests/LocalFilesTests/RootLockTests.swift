// One run per root, and no lock that outlives its run.

import Glibc
import LocalFiles
import Testing
import TransferModel

@Suite("The root's lock")
struct RootLockTests {
  let directory: TestDirectory
  let root: RootDirectory

  init() throws {
    directory = try TestDirectory()
    root = try directory.root()
  }

  func acquire(wait: Duration = .zero, pause: (Duration) -> Bool = { _ in true }) throws -> RootLock {
    try RootLock.acquire(root, started: "2026-01-02T03:04:05Z", wait: wait, pause: pause)
  }

  /// A run in another process that holds the lock until it is ended.
  func otherRun() throws -> PipedShell {
    try directory.makeDirectory(".mirror")
    let script =
      #"exec 9>>"$1" && flock -n 9 && echo "77 elsewhere 2026-01-01T00:00:00Z" >&9 && echo ready && read line"#
    let child = try PipedShell(script, directory.path(".mirror/lock"))
    try #require(child.line() == "ready")
    return child
  }

  @Test("P65: the second run is told who has the root: process, host and start")
  func busy() throws {
    let child = try otherRun()
    let error = #expect(throws: RootLock.Failure.self) { try self.acquire() }
    guard case .busy(let holder) = error else { return #expect(error == nil, "expected busy") }
    #expect(holder.processID == 77)
    #expect(holder.host == "elsewhere")
    #expect(holder.started == "2026-01-01T00:00:00Z")
    #expect(
      error?.description
        == "another run holds the root: process 77 on elsewhere, started 2026-01-01T00:00:00Z")
    child.end()
  }

  @Test("P65: within one process too")
  func busyInProcess() throws {
    let lock = try acquire()
    let error = #expect(throws: RootLock.Failure.self) { try self.acquire() }
    guard case .busy(let holder) = error else { return #expect(error == nil, "expected busy") }
    #expect(holder.processID == getpid())
    withExtendedLifetime(lock) {}
  }

  @Test("P65: different roots run side by side")
  func otherRoot() throws {
    let lock = try acquire()
    let other = try TestDirectory()
    _ = try RootLock.acquire(try other.root(), started: "now", pause: { _ in false })
    withExtendedLifetime(lock) {}
  }

  @Test("P65: with a wait the lock is taken when the other run ends")
  func wait() throws {
    let child = try otherRun()
    var pauses: [Duration] = []
    _ = try acquire(wait: .seconds(5)) { duration in
      pauses.append(duration)
      if pauses.count == 3 { child.end() }
      return true
    }
    #expect(pauses == Array(repeating: .milliseconds(250), count: 3))
  }

  @Test("P65: the wait is bounded, and ends early when it is given up")
  func boundedWait() throws {
    let child = try otherRun()
    var waited = Duration.zero
    let error = #expect(throws: RootLock.Failure.self) {
      try self.acquire(wait: .milliseconds(900)) {
        waited += $0; return true
      }
    }
    #expect(waited == .milliseconds(900))
    guard case .busy = error else { return #expect(error == nil, "expected busy") }
    #expect(throws: RootLock.Failure.cancelled) { try self.acquire(wait: .seconds(9)) { _ in false } }
    child.end()
  }

  @Test("P66: a lock file that a killed run left means nothing")
  func stale() throws {
    let child = try otherRun()
    child.end(killing: true)
    #expect(directory.read(".mirror/lock")?.hasPrefix("77 elsewhere") == true)
    let lock = try acquire()
    let text = try #require(directory.read(".mirror/lock"))
    #expect(text.hasPrefix("\(getpid()) "))
    #expect(text.hasSuffix(" 2026-01-02T03:04:05Z\n"))
    withExtendedLifetime(lock) {}
  }

  @Test("a released lock can be taken again at once, also while children are being spawned")
  func release() async throws {
    // A child holds copies of all open files until it executes; the lock must not stay with it.
    async let children: Void = Task.detached {
      for _ in 0..<30 { try PipedShell("exit 0").end() }
    }.value
    for _ in 0..<300 { _ = try acquire() }
    try await children
  }

  @Test("a link in place of .mirror or of the lock is refused")
  func links() throws {
    let other = try TestDirectory()
    try directory.link(".mirror", to: other.path)
    let error = #expect(throws: RootLock.Failure.self) { try self.acquire() }
    guard case .failed(let failure) = error else { return #expect(error == nil, "expected failed") }
    #expect(failure.reason == .symlinkRefused)
    #expect(other.names().isEmpty)
  }

  @Test("what others wrote is read as far as it goes", arguments: ["", "x", "12", "12 host", "\u{0}\u{0}"])
  func holderText(text: String) throws {
    try directory.write(".mirror/lock", text)
    let script = #"exec 9>>"$1" && flock -n 9 && echo ready && read line"#
    let child = try PipedShell(script, directory.path(".mirror/lock"))
    try #require(child.line() == "ready")
    let error = #expect(throws: RootLock.Failure.self) { try self.acquire() }
    #expect(error?.description.hasPrefix("another run holds the root") == true)
    child.end()
  }

  private func share(_ name: String, prepare: (Bool) -> Bool = { _ in true }) throws -> RootLock {
    try RootLock.acquireShare(root, name: name, started: "now", pause: { _ in false }) { .success(prepare($0)) }
  }

  @Test("runs of different names share the root; the first has it alone for a moment; no other run gets it")
  func sharing() throws {
    var alone: [Bool] = []
    let first = try share("shard-1") { isAlone in
      alone.append(isAlone)
      #expect(throws: RootLock.Failure.self) { try self.acquire() }
      return true
    }
    var second: RootLock? = try share("shard-2") { isAlone in
      alone.append(isAlone)
      return true
    }
    #expect(alone == [true, false])
    #expect(throws: RootLock.Failure.self) { try share("shard-1") }
    #expect(throws: RootLock.Failure.self) { try acquire() }
    second = nil
    #expect(throws: RootLock.Failure.self) { try acquire() }
    second = try share("shard-2")
    withExtendedLifetime((first, second)) {}
  }

  @Test("when all shares are given back, the root can be had alone, and shares then cannot")
  func afterSharing() throws {
    var shares = [try share("a"), try share("b")]
    shares.removeAll()
    let whole = try acquire()
    #expect(throws: RootLock.Failure.self) { try share("a") }
    withExtendedLifetime(whole) {}
  }

  @Test("a root that does not suit is not shared, and nothing stays locked", arguments: [true, false])
  func unsuited(isAlone: Bool) throws {
    let other = isAlone ? nil : try share("other")
    #expect(throws: RootLock.Failure.self) { try share("a") { _ in false } }
    withExtendedLifetime(other) {}
    _ = try share("a")
    let failure = TransferFailure(.ioError, .local, "no")
    let error = #expect(throws: RootLock.Failure.self) {
      try RootLock.acquireShare(root, name: "a", started: "now", pause: { _ in false }) { _ in .failure(failure) }
    }
    #expect(error == .failed(failure))
    _ = try share("a")
  }

  @Test("many who come at once all get their share, and exactly one of them has the root alone")
  func crowd() async throws {
    let alone = Lock(0)
    let root = root
    let locks = try await withThrowingTaskGroup { group in
      for number in 0..<16 {
        group.addTask {
          try RootLock.acquireShare(
            root, name: "shard-\(number)", started: "now", pause: { _ in usleep(1_000) == 0 }
          ) { isAlone in
            if isAlone { alone.withLock { $0 += 1 } }
            usleep(2_000)
            return .success(true)
          }
        }
      }
      return try await group.reduce(into: [RootLock]()) { $0.append($1) }
    }
    #expect(locks.count == 16 && alone.withLock { $0 } == 1)
  }
}
