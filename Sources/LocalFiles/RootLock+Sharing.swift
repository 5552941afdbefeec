// Several runs of one root at a time, each with its own part of the work. A run that has the root alone is `RootLock.acquire`.

package import TransferModel

extension RootLock {
  /// Takes a share of the root's lock, and the whole of `<name>.lock` beside it; waits as `acquire` does, for a run that has
  /// the root alone and for another of the same name.
  ///
  /// Those who take a share go through a gate one by one, as the first has the root alone for a moment: whoever meets that
  /// moment waits for its end, for a minute at most, and is not told of another run.
  ///
  /// - name: no two runs that share the root have the same.
  /// - prepare: called before the share is taken for good: with true by the one that comes first, while it has the root
  ///   alone, and with false by those who come while others are there. false = the root cannot be shared with those.
  package static func acquireShare(
    _ root: RootDirectory, name: String, started: String, wait: Duration = .zero, pause: (Duration) -> Bool,
    prepare: (_ isAlone: Bool) -> Result<Bool, TransferFailure>
  ) throws(Failure) -> RootLock {
    try polling(wait, pause) { () throws(TransferFailure) in
      var left = gatePatience
      while true {
        switch try locating(root, { () throws(SystemError) in try attemptOnce(root, gateName, started) }) {
        case .taken(let gate):
          defer { withExtendedLifetime(gate) {} }
          return try attemptShare(root, name, started, prepare)
        case .held(let holder):
          guard left > .zero, pause(gateStep) else { return .held(holder) }
          left -= gateStep
        }
      }
    }
  }

  /// The file in mirror's folder that one run of that name has for itself. It may be removed by whoever has the root alone.
  package static func fileName(ofShare name: String) -> String { name + ".lock" }

  private static let gateName = "shards.lock"
  private static let gateStep = Duration.milliseconds(50)
  private static let gatePatience = Duration.seconds(60)

  private static func attemptShare(
    _ root: RootDirectory, _ name: String, _ started: String,
    _ prepare: (_ isAlone: Bool) -> Result<Bool, TransferFailure>
  ) throws(TransferFailure) -> Attempt<RootLock> {
    while true {
      let (folder, file) = try locating(root) { () throws(SystemError) in
        let folder = try madeFolder(of: root)
        return (folder, try File(fileName, in: folder))
      }
      let isAlone = try locating(root) { () throws(SystemError) in try SystemCall.tryLock(file.number) }
      if isAlone, try !prepare(true).get() { return .held(holder(file.number)) }
      let isShared = try locating(root) { () throws(SystemError) in
        try SystemCall.tryLock(file.number, isShared: true)
      }
      guard isShared else { return .held(holder(file.number)) }
      if !isAlone, try !prepare(false).get() { return .held(holder(file.number)) }
      guard try locating(root, { () throws(SystemError) in try isNamed(file, fileName, in: folder) }) else { continue }
      return try locating(root) { () throws(SystemError) in
        switch try attemptOnce(root, fileName(ofShare: name), started) {
        case .held(let holder): return .held(holder)
        case .taken(let own):
          // Whoever waits for all of them is told of one.
          try introduce(file, started)
          return .taken(RootLock(file, own))
        }
      }
    }
  }

  private static func locating<Value>(
    _ root: RootDirectory, _ body: () throws(SystemError) -> Value
  ) throws(TransferFailure) -> Value {
    do { return try body() } catch { throw error.at("\(root.path)/\(directoryName)").failure }
  }
}
