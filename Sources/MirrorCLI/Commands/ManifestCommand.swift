// What commands that take a manifest do before they differ.

import MirrorEngine
import MirrorPlan
import TransferModel

/// Loads the manifest and says what is wrong with it.
enum ManifestCommand {
  /// The manifest, or the exit status with which the command ends.
  enum Loading {
    case loaded(LoadedManifest, Manifest)
    case refused(Int32)
  }

  /// - Parameter root: in place of the manifest's own.
  static func load(
    _ source: FileOrStream, root: String? = nil, _ talk: Talk, _ verbosity: TalkOptions.Verbosity
  ) -> Loading {
    var loaded: LoadedManifest
    do {
      loaded = try LoadedManifest(source, root: root)
    } catch {
      talk.say(LogEvent(level: .error, event: "manifest_unreadable", message: error.message, hint: error.hint))
      return .refused(ExitStatus.usage.rawValue)
    }
    guard let manifest = loaded.file.manifest else {
      try? Output.talk.write(loaded.findings())
      return .refused(ExitStatus.usage.rawValue)
    }
    if verbosity != .quiet { try? Output.talk.write(loaded.findings()) }
    loaded.releaseText()
    return .loaded(loaded, manifest)
  }

  /// Loads, then runs `body`; a run that could not begin, or a local failure on the way, is said and gives its status.
  static func run(
    _ survey: SurveyOptions, _ talk: Talk, _ verbosity: TalkOptions.Verbosity,
    _ body: (LoadedManifest, Manifest) async throws -> Int32
  ) async throws -> Int32 {
    switch load(survey.manifest, root: survey.root, talk, verbosity) {
    case .refused(let status): return status
    case .loaded(let loaded, let manifest):
      do {
        return try await body(loaded, manifest)
      } catch let refusal as RunRefusal {
        return talk.refuse(refusal)
      } catch let failure as TransferFailure {
        return talk.refuse(RunRefusal(status: ExitStatus.contribution(of: failure) ?? .localResource, failure: failure))
      }
    }
  }

  static func options(_ survey: SurveyOptions, _ loaded: LoadedManifest, _ talk: Talk) -> RunOptions {
    var options = RunOptions(
      manifestDirectory: loaded.directory, manifestPath: loaded.name, manifestDigest: loaded.digest,
      version: MirrorProgram.version)
    options.root = survey.root
    options.jobs = survey.jobs
    options.streams = survey.streams
    options.checksLocal = survey.rehashes
    options.retryBudget = survey.retryBudget
    options.notice = { notice in
      talk.say(LogEvent(level: .warning, event: "state", message: notice.message, hint: notice.hint))
    }
    options.note = { talk.say(LogEvent(level: .warning, event: "credentials", message: $0)) }
    options.complain = { failure in
      talk.say(
        LogEvent(
          level: .error, event: "failure", message: "\(failure.message) [\(failure.reason.rawValue)]",
          hint: failure.hint))
    }
    return options
  }
}

extension ShardChoice {
  /// Throws `usage` when the environment is to name the shard and does not.
  func shard() throws(RunRefusal) -> Shard {
    switch self {
    case .one(let shard): return shard
    case .automatic(let count):
      do throws(ShardVariables.Problem) {
        return try ShardVariables.shard(count: count, lookUp: ProcessEnvironment.value)
      } catch {
        throw RunRefusal(
          status: .usage,
          failure: TransferFailure(
            .invalidRequest, .permanent, "--shard auto: \(error.message)", hint: error.hint))
      }
    }
  }
}

extension Manifest {
  /// How many transfers run at the same time, whoever says it.
  func parallelism(_ survey: SurveyOptions) -> Parallelism {
    Parallelism(limits, wanted: survey.jobs, bound: OpenFiles.raised().transfers)
  }
}
