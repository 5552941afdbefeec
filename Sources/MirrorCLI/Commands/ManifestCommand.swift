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

  static func load(_ survey: SurveyOptions, _ talk: Talk, _ verbosity: TalkOptions.Verbosity) -> Loading {
    let loaded: LoadedManifest
    do {
      loaded = try LoadedManifest(survey.manifest, root: survey.root)
    } catch {
      talk.say(LogEvent(level: .error, event: "manifest_unreadable", message: error.message, hint: error.hint))
      return .refused(ExitStatus.usage.rawValue)
    }
    guard let manifest = loaded.file.manifest else {
      try? Output.talk.write(loaded.findings())
      return .refused(ExitStatus.usage.rawValue)
    }
    if verbosity != .quiet { try? Output.talk.write(loaded.findings()) }
    return .loaded(loaded, manifest)
  }

  static func options(_ survey: SurveyOptions, _ loaded: LoadedManifest, _ talk: Talk) -> RunOptions {
    var options = RunOptions(
      manifestDirectory: loaded.directory, manifestPath: loaded.name, manifestDigest: loaded.digest,
      version: MirrorProgram.version)
    options.root = survey.root
    options.jobs = survey.jobs
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

extension Manifest {
  /// How many transfers run at the same time, whoever says it.
  func jobs(_ survey: SurveyOptions) -> Int { limits.transfers(wanted: survey.jobs) }
}
