// Options that several commands share, so that they have the same name and mean the same everywhere.

enum OptionGroup {
  static func manifest<Target>(
    into place: @autoclosure @escaping @Sendable () -> Place<Target, FileOrStream>
  ) -> PositionalSpec<Target> {
    .argument(
      .fileOrStream.named("MANIFEST"), into: place(),
      help: "the manifest, a YAML file; - is standard input")
  }

  static func detailedExitCode<Target>(
    into place: @autoclosure @escaping @Sendable () -> Place<Target, Bool>, when event: String
  ) -> OptionSpec<Target> {
    .flag("detailed-exitcode", into: place(), help: "exit with 10 in place of 0 when \(event)")
  }

  static func survey<Target: Surveying>() -> [OptionSpec<Target>] {
    [
      .value(
        "root", .directory, into: \Target.survey.root,
        help: "write below this directory in place of the manifest's root"),
      .value(
        "jobs", short: "j", .integer(in: 1...1_024), into: \Target.survey.jobs,
        help: "transfers at the same time; the manifest's limit or mirror's choice by default"),
      .value(
        "streams", .integer(in: 1...16), into: \Target.survey.streams,
        help: "streams of one big object at most; 1 = never more than one; the manifest's by default"),
      .flag(
        "check", into: \Target.survey.rehashes,
        help: "read the local files again in place of trusting their size and time"),
      .value(
        "retry-for", .duration, into: \Target.survey.retryBudget,
        help:
          "how long an item that keeps failing is tried after its last progress; 10m unless the manifest says otherwise"
      ),
    ]
  }

  /// For the commands whose work can be shared.
  static func shard<Target: Surveying>() -> OptionSpec<Target> {
    .value(
      "shard", .shard, into: \Target.survey.shard,
      help:
        "look at this part of the entries only, as one of N runs on one root; auto takes K and N from Kubernetes, Slurm, "
        + "Cloud Run, AWS Batch, GitLab, CircleCI or Buildkite, auto/N only K; then mirror finalize"
    )
  }

  static func locking<Target: Surveying>() -> [OptionSpec<Target>] {
    [
      .flag(
        "locked", into: \Target.survey.lock, on: .locked, off: .ignored,
        help: "take exactly what the lock file says, and fail where manifest or source say otherwise"),
      .flag(
        "frozen", into: \Target.survey.lock, on: .frozen, off: .ignored,
        help: "as --locked, without any list or metadata request"),
    ]
  }

  static func talk<Target: Talking>() -> [OptionSpec<Target>] {
    [
      .flag(
        "quiet", short: "q", into: \Target.talk.verbosity, on: .quiet, off: .normal,
        help: "say nothing but errors; the last of -q and -v counts"),
      .flag(
        "verbose", short: "v", into: \Target.talk.verbosity, on: .verbose, off: .normal,
        help: "say what happens to every item"),
      .value(
        "log-format", .choice, into: \Target.talk.logFormat,
        help: "the form of what is said on standard error; json is one event a line; text by default"),
      .value(
        "color", .choice, into: \Target.talk.color,
        help: "auto, the default, is: on a terminal, unless NO_COLOR is set"),
    ]
  }
}
