// `mirror check`: the errors of a manifest, and nothing else; no network, nothing written.

import MirrorPlan
import TransferModel

struct CheckCommand {
  private let options: CheckOptions
  private let talk: Talk

  init(_ options: CheckOptions) {
    self.options = options
    talk = Talk(process: options.talk)
  }

  func run() throws -> Int32 {
    let loaded: LoadedManifest
    do {
      loaded = try LoadedManifest(options.manifest, root: nil, keepsItems: false)
    } catch {
      talk.say(LogEvent(level: .error, event: "manifest_unreadable", message: error.message, hint: error.hint))
      return ExitStatus.usage.rawValue
    }
    if options.writesJSON {
      let json = DiagnosticRenderer(name: loaded.name, source: loaded.bytes).json(of: loaded.file.diagnostics)
      try Output.results.write(json[...])
    } else {
      try Output.talk.write(loaded.findings())
    }
    guard let manifest = loaded.file.manifest else { return ExitStatus.usage.rawValue }
    if !options.writesJSON, options.talk.verbosity != .quiet {
      try Output.results.write(
        "\(loaded.name): \(TerminalText.grouped(loaded.file.itemCount)) items, "
          + "\(TerminalText.grouped(manifest.trees.count)) trees, no errors\n")
      for use in manifest.secretsRead() { try Output.results.write("reads \(use.secret), for \(use.audience)\n") }
    }
    return ExitStatus.done.rawValue
  }
}
