// What a command line asks for, every value validated: what the commands are given.

import MirrorPlan
import TransferModel

/// What shall be done.
enum Invocation: Hashable, Sendable {
  /// A text (help, version, completion script) goes to standard output, exit status 0.
  case show(String)
  case apply(ApplyOptions)
  case plan(PlanOptions)
  case check(CheckOptions)
  case lock(LockOptions)
  case verify(VerifyOptions)
  case explain(ExplainOptions)
  case status(StatusOptions)
  case doctor(DoctorOptions)
  case report(ReportOptions)
  case importList(ImportOptions)
  case get(GetOptions)
  case stat(StatOptions)
  case url(URLOptions)
  case list(ListOptions)
  case setMetadata(SetMetadataOptions)
  case cache(CacheOptions)
}

/// A file, or the standard stream that `-` stands for.
enum FileOrStream: Hashable, Sendable {
  case standardStream
  case file(String)
}

/// How much is said, and in what form; the results on standard output are not meant.
struct TalkOptions: Hashable, Sendable {
  enum Verbosity: Hashable, Sendable {
    case quiet
    case normal
    case verbose
  }

  enum LogFormat: String, CaseIterable, Sendable {
    case text
    case json
  }

  /// `auto`: colours on a terminal, unless `NO_COLOR` is set.
  enum Color: String, CaseIterable, Sendable {
    case auto
    case always
    case never
  }

  var verbosity = Verbosity.normal
  var logFormat = LogFormat.text
  var color = Color.auto
}

/// Options of a command that talks.
protocol Talking: Sendable {
  var talk: TalkOptions { get set }
}

/// What `apply` and `plan` share: what is compared, and where.
struct SurveyOptions: Hashable, Sendable {
  var manifest = FileOrStream.standardStream
  /// nil = the manifest's own.
  var root: String?
  /// nil = the manifest's own.
  var jobs: Int?
  /// Streams of one object; nil = the manifest's own.
  var streams: Int?
  /// Read the local files again in place of trusting what the state says of them.
  var rehashes = false
  /// How long an item that keeps failing is tried; nil = the manifest's own.
  var retryBudget: Duration?
  var lock = LockChoice.ignored
  /// nil = all of the entries.
  var shard: ShardChoice?
}

/// Which part of the entries is looked at.
enum ShardChoice: Hashable, Sendable {
  case one(Shard)
  /// The one that the engine's variables name; `count` nil = they say that too.
  case automatic(count: Int?)
}

/// What is done with the lock file; the last of `--locked`, `--frozen` and `--update-lock` counts.
enum LockChoice: Hashable, Sendable {
  case ignored
  case locked
  case frozen
  /// `only` names the destinations that are taken as they are now; nil = all.
  case updated(only: Set<RelativePath>?)
}

/// Options of a command that compares a manifest with the local tree.
protocol Surveying: Sendable {
  var survey: SurveyOptions { get set }
}

struct ApplyOptions: Hashable, Sendable, Talking, Surveying {
  var survey = SurveyOptions()
  var talk = TalkOptions()
  var isDryRun = false
  /// The written plan that is done; nil = what is decided now.
  var plan: String?
  /// Where the JSON report goes as well as where the manifest says; nil = only there.
  var report: FileOrStream?
  /// Sync every file to the disk, not only every batch.
  var isDurable = false
  /// How long another run that holds the root is waited for.
  var lockWait = Duration.zero
  /// How long the whole run may take; nil = no limit.
  var maximumDuration: Duration?
  /// What the whole run may transfer; nil = no limit.
  var maximumBytes: ByteCount?
  var maximumTransfers: Int?
  var hasDetailedExitCode = false
  /// Start nothing more after the first item that failed for good.
  var failsFast = false
  /// The manifest's `on_change` is left for a later run.
  var skipsChangeHook = false
  /// false = `mirror finalize`: everything but fetching.
  var fetches = true
}

struct PlanOptions: Hashable, Sendable, Talking, Surveying {
  var survey = SurveyOptions()
  var talk = TalkOptions()
  var writesJSON = false
  var isOffline = false
  /// The plan is written here too, with the facts it stands on; nil = it is not.
  var output: FileOrStream?
  var hasDetailedExitCode = false
  /// How the work would divide over so many shards, in place of the plan; nil = the plan.
  var shards: Int?
}

struct LockOptions: Hashable, Sendable, Talking, Surveying {
  var survey = SurveyOptions()
  var talk = TalkOptions()
}

struct CheckOptions: Hashable, Sendable, Talking {
  var talk = TalkOptions()
  var manifest = FileOrStream.standardStream
  var writesJSON = false
}

struct GetOptions: Hashable, Sendable, Questioning {
  var talk = TalkOptions()
  var question = QuestionOptions()
  /// nil = the object's last name, in the current directory.
  var destination: FileOrStream?
  var sha256: Digest?
  /// nil = no limit.
  var maximumSize: ByteCount?
}

struct CacheOptions: Hashable, Sendable, Talking {
  var talk = TalkOptions()
  var folder = ""
  var writesJSON = false
  /// What was stored longer ago than this goes; nil = age does not matter.
  var maximumAge: Duration?
  /// The oldest objects go until the rest is no more than this; nil = size does not matter.
  var maximumSize: ByteCount?
  /// All of it goes.
  var clears = false
}

struct CompletionOptions: Hashable, Sendable {
  var shell = CompletionShell.bash
}
