// What `--manifest` gives to commands that do not run it: its bucket, its credentials, its ways to hosts.

import CurlTransport
import MirrorEngine
import MirrorPlan
import TransferModel

/// How a command that asks for one object reaches the services: what its options say, else what the manifest says.
struct ChosenAccess {
  var access: ServiceAccess
  /// Hosts that are reached in a way of their own.
  var hosts: [Origin: CurlTransport.HostConnection] = [:]

  /// nil when the manifest cannot be used; what is wrong with it was said then.
  init?(_ options: QuestionOptions, _ talk: Talk, _ verbosity: TalkOptions.Verbosity) {
    access = ServiceAccess(storage: StorageSettings())
    if let source = options.manifest {
      guard case .loaded(let loaded, let manifest) = ManifestCommand.load(source, talk, verbosity) else { return nil }
      access.storage = manifest.storage
      access.auth = manifest.auth
      access.directory = loaded.directory
      hosts = manifest.hostConnections(in: loaded.directory)
    }
    access.storage.bucket = options.bucket ?? access.storage.bucket
    access.storage.api = options.api ?? access.storage.api
    access.storage.emulator = options.emulator ?? access.storage.emulator
    access.note = { talk.say(LogEvent(level: .warning, event: "credentials", message: $0)) }
  }
}
