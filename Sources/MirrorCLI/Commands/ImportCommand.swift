// `mirror import`: a list of URLs, as other programs take it, as a manifest.

import Glibc
import LocalFiles
import ManifestYAML
import MirrorEngine
import MirrorPlan
import TransferModel

struct ImportCommand {
  private let options: ImportOptions
  private let talk: Talk
  private static let readLimit = ByteCount(256 << 20)

  init(_ options: ImportOptions) {
    self.options = options
    talk = Talk(process: options.talk)
  }

  func run() throws -> Int32 {
    let (name, bytes): (String, [UInt8])
    do throws(TransferFailure) {
      (name, bytes) = try options.list.read(limit: Self.readLimit)
    } catch {
      return talk.refuse(RunRefusal(status: .usage, failure: error))
    }
    let imported = ImportedManifest(
      list: String(decoding: bytes, as: UTF8.self), named: name, format: options.format, layout: options.layout,
      root: options.root)
    if !imported.diagnostics.isEmpty {
      try Output.talk.write(DiagnosticRenderer(name: name, source: bytes).text(of: imported.diagnostics))
    }
    guard let text = imported.text else { return ExitStatus.usage.rawValue }
    guard try isManifest(text) else { return ExitStatus.usage.rawValue }
    return try put(text, imported.itemCount)
  }

  /// What only a whole manifest shows: a file where another one needs a folder, a variable-like text.
  private func isManifest(_ text: String) throws -> Bool {
    let bytes = Array(text.utf8)
    let file = ManifestFile.load(
      bytes: bytes, name: "the manifest", environment: { _ in nil }, foldsCase: false, keepsItems: false)
    guard file.manifest == nil else { return true }
    try Output.talk.write(DiagnosticRenderer(name: "the manifest", source: bytes).text(of: file.diagnostics))
    return false
  }

  private func put(_ text: String, _ count: Int) throws -> Int32 {
    guard let path = options.output else {
      try Output.results.write(text)
      return ExitStatus.done.rawValue
    }
    guard access(path, F_OK) != 0 else {
      return talk.refuse(
        RunRefusal(
          status: .usage,
          failure: TransferFailure(
            .conflict, .permanent, "\(path) is there already", hint: "Name another file, or move that one away.")))
    }
    do throws(TransferFailure) {
      let document = try AtomicDocument(path)
      try document.append(text)
      try document.publish()
    } catch {
      return talk.refuse(RunRefusal(status: .localResource, failure: error))
    }
    if options.talk.verbosity != .quiet {
      let items = "\(TerminalText.grouped(count)) \(count == 1 ? "item" : "items")"
      talk.say(LogEvent(level: .info, event: "imported", message: "\(path): \(items); `mirror plan \(path)` is next"))
    }
    return ExitStatus.done.rawValue
  }
}
