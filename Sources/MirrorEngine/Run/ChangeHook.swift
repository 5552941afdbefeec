// `on_change`: a program that is told when the tree has changed.

import ChildProcesses
import Glibc
import LocalFiles
import MirrorPlan
import TransferModel

/// Runs the manifest's program over what has changed.
struct ChangeHook: Sendable {
  /// A program that takes longer is ended.
  static let patience = Duration.seconds(600)
  /// How long a program has to end after SIGTERM.
  static let grace = Duration.seconds(5)

  let words: [String]
  let changes: DestinationList
  /// The manifest's folder, where the program starts; empty = the working directory.
  let folder: String
  let root: String
  let runID: String
  let control: RunControl
  let clocks: any Clocks
  var patience = Self.patience

  /// Tells the program of all that waits; a sentence for people, nil when nothing did. Blocks until it has ended.
  ///
  /// What it was not told of for certain, because it failed, waits for the next run.
  func run() throws(TransferFailure) -> String? {
    let count = try changes.count()
    guard count > 0, let program = words.first else { return nil }
    let end = try changes.withReader { reader throws(TransferFailure) in
      var setting = ChildProcess.Setting()
      setting.input = reader
      setting.folder = folder.isEmpty ? nil : folder
      setting.ownsGroup = true
      setting.variables = [
        "MIRROR_ON_CHANGE_ROOT": root, "MIRROR_ON_CHANGE_COUNT": "\(count)", "MIRROR_ON_CHANGE_RUN": runID,
      ]
      let child: ChildProcess
      do throws(ChildProcess.StartError) {
        child = try ChildProcess(words, setting)
      } catch {
        throw Self.failure("`on_change`: \(program) cannot be started: \(error.text)", "Is it on the PATH?")
      }
      return try watch(child, program)
    }
    guard end.isSuccess else {
      throw Self.failure(
        "`on_change`: \(program) failed (\(end.text))",
        "What it said stands above. The next run that ends well tells it of the same changes again.")
    }
    try changes.clear()
    return "\(program) was told of \(count) change\(count == 1 ? "" : "s")."
  }

  /// Waits for the end, no longer than it may take and than the run goes on.
  private func watch(_ child: ChildProcess, _ program: String) throws(TransferFailure) -> ChildProcess.End {
    let deadline = clocks.monotonic() + patience
    var pause: UInt32 = 1_000
    while true {
      if let end = child.ended() { return end }
      if control.stop != nil {
        stop(child)
        throw TransferFailure(.cancelled, .cancelled, "`on_change`: \(program) was ended with the run")
      }
      if clocks.monotonic() >= deadline {
        stop(child)
        throw Self.failure(
          "`on_change`: \(program) did not end within \(Int(patience.inSeconds)) s and was ended",
          "Let it start what takes longer, and not wait for it.")
      }
      usleep(pause)
      pause = min(pause * 2, 50_000)
    }
  }

  private func stop(_ child: ChildProcess) {
    child.send(signal: SIGTERM)
    let end = clocks.monotonic() + Self.grace
    while clocks.monotonic() < end {
      if child.ended() != nil { return }
      usleep(10_000)
    }
    child.send(signal: SIGKILL)
    _ = child.wait()
  }

  private static func failure(_ message: String, _ hint: String) -> TransferFailure {
    TransferFailure(.commandFailed, .local, message, hint: hint)
  }
}

extension MirrorRun {
  /// The list of changes, when the manifest wants somebody to be told of them.
  func openChanges(_ state: StateStore, _ lastRun: RunRecord?) throws(RunRefusal) -> ChangeNotes? {
    guard manifest.onChange != nil else { return nil }
    return try refusing { () throws(TransferFailure) in
      ChangeNotes(
        list: try DestinationList(
          in: state.location.folder, name: ShardStates.name(of: .changed, of: options.shard)),
        lastRunEnded: lastRun.map { $0.ended != nil } ?? true)
    }
  }

  /// Runs `on_change`, unless the run was stopped, something failed or was left out, or readers do not see the new tree
  /// yet; then a later run tells of the changes. A sentence for people; nil when nobody was to be told of anything.
  func tell(
    _ changes: ChangeNotes?, of runID: String, isPublished: Bool, _ ledger: RunLedger
  ) async -> String? {
    guard let changes, let words = manifest.onChange else { return nil }
    guard options.tellsOfChanges, options.shard == nil, isPublished, control.stop == nil, await ledger.isClean else {
      guard let count = try? changes.list.count(), count > 0 else { return nil }
      let wait = count == 1 ? "one change waits" : "\(count) changes wait"
      let next = options.shard == nil ? "the next run that ends well" : "`mirror finalize`"
      return "on_change was not run: \(wait) for \(next)."
    }
    let hook = ChangeHook(
      words: words, changes: changes.list, folder: options.manifestDirectory, root: rootIdentity, runID: runID,
      control: control, clocks: environment.clocks)
    let result = await BlockingThreads(count: 1).run {
      Result { () throws(TransferFailure) in try hook.run() }
    }
    do throws(TransferFailure) {
      return try result.get()
    } catch {
      await ledger.add(error, at: "on_change")
      return nil
    }
  }
}
