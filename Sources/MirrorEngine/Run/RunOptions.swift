// What the caller decides about a run, beside the manifest.

package import MirrorPlan
package import TransferModel

package struct RunOptions: Sendable {
  /// Wins over the manifest's root; as given, relative to the working directory.
  package var root: String?
  /// The folder that the manifest's relative paths start from.
  package var manifestDirectory: String
  /// For the report.
  package var manifestPath: String
  package var manifestDigest: Digest?
  /// The JSON report goes here as well as where the manifest says; as given.
  package var reportPath: String?
  /// The JSON report goes here too, in pieces, in order; nil = it does not.
  package var reportStream: (@Sendable ([UInt8]) throws -> Void)?
  /// Wins over `limits: {jobs: …}`.
  package var jobs: Int?
  /// Wins over every `ranges: {streams: …}`.
  package var streams: Int?
  /// Read local files again even where nothing about them has moved.
  package var checksLocal = false
  /// Whether a plan asks the sources; one that does not says what it did not look up.
  package var asksServers = true
  /// Sync every file and its folder before the next one counts as done.
  package var durable = false
  package var failFast = false
  /// Whether the manifest's `on_change` is run.
  package var tellsOfChanges = true
  package var lock = LockPolicy.ignored
  /// Where `LockPolicy.update` and `mirror lock` write; nil = nowhere.
  package var lockPath: String?
  /// The written plan that the run does, and nothing else; nil = none.
  package var plan: PlanFile?
  /// The only destinations that are looked at; nil = all. What is not looked at is not deleted.
  package var selection: Set<RelativePath>?
  /// The part of the entries that the run looks at, while others look at the rest; nil = all. It deletes nothing.
  package var shard: Shard?
  /// false = what is not there is left out, as if the budget were used up, and everything else is done.
  package var fetches = true
  /// How long to wait for another run on the same root.
  package var lockWait: Duration = .zero
  /// How long the run may take; nil = no limit.
  package var maximumDuration: Duration?
  /// What the run may transfer.
  package var budget = TransferBudget.Limits()
  /// Wins over every `retry: {for: …}`.
  package var retryBudget: Duration?
  /// When a run that does not move is stuck; nil = by the time-outs of the manifest.
  package var watchdog: Watchdog.Settings?
  /// Ends the process, with a last word, when a run that was stopped does not end.
  package var giveUp: @Sendable (TransferFailure) -> Void = { _ in }
  /// mirror's version, for the report.
  package var version: String
  /// Told of failures that belong to no entry, when they happen.
  package var complain: @Sendable (TransferFailure) -> Void = { _ in }
  /// Told what the state has to say about itself.
  package var notice: @Sendable (StateNotice) -> Void = { _ in }
  /// Told what the user should know before anything is done, one sentence each: credentials that will not be sent.
  package var note: @Sendable (String) -> Void = { _ in }

  package init(manifestDirectory: String, manifestPath: String, manifestDigest: Digest?, version: String) {
    self.manifestDirectory = manifestDirectory
    self.manifestPath = manifestPath
    self.manifestDigest = manifestDigest
    self.version = version
  }
}
