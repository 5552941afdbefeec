// The commands of `mirror` and their options: the one table that parsing, help and completion read.

import MirrorPlan
import TransferModel

extension Program {
  /// The program `mirror`.
  static func mirror(version: String) -> Program {
    let commands = [
      ProgramCommand("apply", .apply, then: Invocation.apply),
      ProgramCommand("plan", .plan, then: Invocation.plan),
      ProgramCommand("finalize", .finalize, then: Invocation.apply),
      ProgramCommand("lock", .lock, then: Invocation.lock),
      ProgramCommand("check", .check, then: Invocation.check),
      ProgramCommand("verify", .verify, then: Invocation.verify),
      ProgramCommand("status", .status, then: Invocation.status),
      ProgramCommand("explain", .explain, then: Invocation.explain),
      ProgramCommand("doctor", .doctor, then: Invocation.doctor),
      ProgramCommand("report", .report, then: Invocation.report),
      ProgramCommand("import", .importList, then: Invocation.importList),
      ProgramCommand("get", .get, then: Invocation.get),
      ProgramCommand("cat", .cat, then: Invocation.get),
      ProgramCommand("stat", .stat, then: Invocation.stat),
      ProgramCommand("url", .url, then: Invocation.url),
      ProgramCommand("ls", .list, then: Invocation.list),
      ProgramCommand("set-metadata", .setMetadata, then: Invocation.setMetadata),
      ProgramCommand("cache", .cache, then: Invocation.cache),
    ]
    let completion = ProgramCommand("completion", CommandSpec<CompletionOptions>.completion) { options in
      let described = commands.map(\.description) + [CommandSpec<CompletionOptions>.completion.description]
      return .show(CompletionScript(program: "mirror", commands: described).text(for: options.shell))
    }
    return Program(
      name: "mirror",
      version: version,
      summary: "Make a set of local files equal to a set of remote objects that a manifest names",
      examples: [
        Example("mirror plan mirror.yaml", "say what would be done"),
        Example("mirror apply mirror.yaml", "do it"),
      ],
      commands: commands + [completion],
      notes: [exitStatuses])
  }

  /// The statuses that a run can end with, for the help.
  static let exitStatuses = HelpLayout.table(
    "Exit status:",
    [
      ("0", "done: nothing to do, or all of it done"),
      ("1", "internal error"),
      ("2", "usage or manifest error; nothing was done"),
      ("3", "finished; at least one item failed for good"),
      ("4", "finished; every failure was transient: run it again"),
      ("5", "safety stop: look before you run it again"),
      ("6", "a local resource failed: disk, permission, open files"),
      ("7", "authentication failed for a host"),
      ("8", "another run holds the root"),
      ("9", "the budget (--max-…) is used up, work remains: run it again"),
      ("10", "with --detailed-exitcode only: changes pending, or made"),
      ("130, 143", "interrupted, terminated; what was done is kept"),
    ])
}

extension CommandSpec where Target == ApplyOptions {
  static var apply: Self {
    Self(
      name: "apply",
      summary: "Make the local tree equal to what the manifest names",
      examples: [
        Example("mirror apply mirror.yaml", "fetch what is missing or changed"),
        Example("mirror apply -n mirror.yaml", "only say what would be done"),
      ],
      positionals: [OptionGroup.manifest(into: \.survey.manifest)],
      options: [
        .flag("dry-run", short: "n", into: \.isDryRun, help: "do nothing, print the plan"),
        .value(
          "plan", .file, into: \.plan,
          help: "do what this plan says (mirror plan -o), and nothing for which facts moved"),
      ] + OptionGroup.locking() + [
        .flag(
          "update-lock", orValue: .lockUpdate, into: \.survey.lock, bare: .updated(only: nil), off: .ignored,
          help: "write the lock file anew when all is done; with names, only those move on, the rest stays as locked")
      ] + OptionGroup.survey() + [
        reportOption,
        OptionGroup.shard(),
        .flag(
          "durable", into: \.isDurable,
          help: "sync every file to the disk by itself; by default files are synced in batches"),
        waitOption,
        .value(
          "max-duration", .duration, into: \.maximumDuration,
          help: "stop after this time, keep what can be continued and exit with 9, as rclone's; no limit by default"),
        .value(
          "max-bytes", .byteCount, into: \.maximumBytes,
          help: "begin no transfer that would go beyond so many bytes in this run, end those under way and exit with 9"),
        .value(
          "max-transfers", .integer(in: 1...Int(Int32.max)), into: \.maximumTransfers,
          help: "fetch so many files in this run and exit with 9 when more are left; what is unchanged does not count"),
        hookOption,
        .flag("fail-fast", into: \.failsFast, help: "start nothing more after the first item that failed for good"),
        OptionGroup.detailedExitCode(into: \.hasDetailedExitCode, when: "something was changed"),
      ] + OptionGroup.talk(),
      notes: [retryNote, pruneNote, Program.exitStatuses],
      defaults: ApplyOptions())
  }

  /// What is left to do when runs of shards have ended.
  static var finalize: Self {
    var defaults = ApplyOptions()
    defaults.fetches = false
    return Self(
      name: "finalize",
      summary: "Bring together what runs of shards have done, and delete what is gone; fetches nothing",
      examples: [
        Example("mirror finalize mirror.yaml", "when all of mirror apply --shard 1/8 … 8/8 have ended"),
        Example("mirror finalize --report report.json mirror.yaml", "with a report of the whole"),
      ],
      positionals: [OptionGroup.manifest(into: \.survey.manifest)],
      options: OptionGroup.locking() + OptionGroup.survey() + [
        reportOption, waitOption, hookOption,
        OptionGroup.detailedExitCode(into: \.hasDetailedExitCode, when: "something was changed"),
      ] + OptionGroup.talk(),
      notes: [finalizeNote, pruneNote, Program.exitStatuses],
      defaults: defaults)
  }

  private static var finalizeNote: String {
    HelpLayout.wrapped(
      "What a shard could not fetch is still missing, and is reported as skipped; the exit status is 9 then. Run that shard "
        + "again, and finalize after it. A mirror apply without --shard does all of this too.")
  }

  private static var reportOption: OptionSpec<ApplyOptions> {
    .value(
      "report", .fileOrStream, into: \.report, help: "write the JSON report here too; - is standard output")
  }

  private static var waitOption: OptionSpec<ApplyOptions> {
    .value(
      "wait", .duration, into: \.lockWait,
      help: "how long to wait for another run that holds the root; not at all by default")
  }

  private static var hookOption: OptionSpec<ApplyOptions> {
    .flag(
      "no-on-change", into: \.skipsChangeHook, help: "do not run the manifest's on_change; a later run tells it")
  }

  private static var pruneNote: String {
    HelpLayout.wrapped(
      "Nothing is deleted unless a tree of the manifest says prune: {enabled: true}; then what mirror wrote and what left "
        + "the bucket goes to .mirror/trash below the root, up to a cap (max: 10%) beyond which none of it does, with exit "
        + "status 5. Files that were changed here are replaced unless on_local_change says keep or fail.")
  }

  /// Stated because a silent wait looks like a hang.
  private static var retryNote: String {
    let budget = Int(RetryPolicy().budget.inSeconds) / 60
    return HelpLayout.wrapped(
      "An item that keeps failing in a way that may pass is tried for \(budget) minutes after its last progress, unless "
        + "the manifest says otherwise (defaults: {retry: {for: 2m}}).")
  }
}

extension CommandSpec where Target == PlanOptions {
  static var plan: Self {
    Self(
      name: "plan",
      summary: "Say what apply would do, and do nothing",
      examples: [
        Example("mirror plan mirror.yaml", "a line for every change"),
        Example("mirror plan -o plan.json mirror.yaml", "and keep it for apply --plan"),
      ],
      positionals: [OptionGroup.manifest(into: \.survey.manifest)],
      options: [
        .value(
          "output", short: "o", .fileOrStream, into: \.output,
          help: "write the plan with its facts here, for apply --plan"),
        .flag("json", into: \.writesJSON, help: "print the plan as one JSON document"),
        .flag(
          "offline", into: \.isOffline,
          help: "ask no server anything, and say of what cannot be told without that it was not looked up"),
        OptionGroup.detailedExitCode(into: \.hasDetailedExitCode, when: "changes are pending"),
        OptionGroup.shard(),
        .value(
          "shards", .integer(in: 1...Shard.most), into: \.shards,
          help: "print what each of so many shards would have to do, in place of the plan"),
      ] + OptionGroup.locking() + OptionGroup.survey() + OptionGroup.talk(),
      notes: [Program.exitStatuses],
      defaults: PlanOptions())
  }
}

extension CommandSpec where Target == LockOptions {
  static var lock: Self {
    Self(
      name: "lock",
      summary: "Pin versions and hashes of everything that the manifest names",
      examples: [
        Example("mirror lock mirror.yaml", "write mirror.yaml.lock"),
        Example("mirror apply --locked mirror.yaml", "take exactly that, anywhere"),
      ],
      positionals: [OptionGroup.manifest(into: \.survey.manifest)],
      options: OptionGroup.survey() + OptionGroup.talk(),
      notes: [Program.exitStatuses],
      defaults: LockOptions())
  }
}

extension CommandSpec where Target == CheckOptions {
  static var check: Self {
    Self(
      name: "check",
      summary: "Find the errors of a manifest; no network",
      examples: [
        Example("mirror check mirror.yaml", "every error with its line and column"),
        Example("mirror check --json - < mirror.yaml", "from standard input, for a program"),
      ],
      positionals: [OptionGroup.manifest(into: \.manifest)],
      options: [.flag("json", into: \.writesJSON, help: "print the findings as one JSON document")]
        + OptionGroup.talk(),
      notes: [Program.exitStatuses],
      defaults: CheckOptions())
  }
}

extension CommandSpec where Target == GetOptions {
  static var get: Self {
    Self(
      name: "get",
      summary: "Fetch one object",
      examples: [
        Example("mirror get gs://my-app/images/stars.jpg", "into the current directory"),
        Example("mirror get https://example.com/notes.txt -", "to standard output"),
      ],
      positionals: [
        OptionGroup.reference("gs://BUCKET/OBJECT, a Firebase link, any http(s) URL, or a path in --bucket"),
        .argument(
          .fileOrStream.named("DEST"), into: \.destination,
          help: "a file, or - for standard output; by default the object's last name in the current directory"),
      ],
      options: [
        .value("sha256", .sha256, into: \.sha256, help: "what the bytes must hash to, else the file is refused"),
        .value("max-size", .byteCount, into: \.maximumSize, help: "refuse more than this; no limit by default"),
      ] + OptionGroup.question(retries: "10m") + OptionGroup.talk(),
      notes: [Program.exitStatuses],
      defaults: GetOptions())
  }
}

extension CommandSpec where Target == CacheOptions {
  static var cache: Self {
    Self(
      name: "cache",
      summary: "List the objects in a disk cache of CloudStorage, or make it smaller",
      examples: [
        Example("mirror cache ~/.cache/my-app", "every object with size and age, oldest first"),
        Example("mirror cache --older-than 7d --keep 100MiB ~/.cache/my-app", "remove what is old or too much"),
      ],
      positionals: [
        .argument(.directory, into: \.folder, help: "the folder that was given to StorageCache")
      ],
      options: [
        .value(
          "older-than", .duration, into: \.maximumAge,
          help: "remove what was stored longer ago than this; nothing by default"),
        .value(
          "keep", .byteCount, into: \.maximumSize,
          help: "remove the oldest objects until no more than this is left; nothing by default"),
        .flag("clear", into: \.clears, help: "remove all objects; the folder and other files in it stay"),
        .flag("json", into: \.writesJSON, help: "print one JSON document"),
      ] + OptionGroup.talk(),
      notes: [Program.exitStatuses],
      defaults: CacheOptions())
  }
}

extension CommandSpec where Target == CompletionOptions {
  static var completion: Self {
    Self(
      name: "completion",
      summary: "Print the completion script of a shell",
      examples: [
        Example("mirror completion bash > ~/.local/share/bash-completion/completions/mirror", "for bash"),
        Example("mirror completion fish > ~/.config/fish/completions/mirror.fish", "for fish"),
      ],
      positionals: [.argument(.choice.named("SHELL"), into: \.shell, help: "bash, zsh or fish")],
      options: [],
      defaults: CompletionOptions())
  }
}
