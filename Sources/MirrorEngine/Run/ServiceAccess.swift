// How commands that ask for one object reach the services, when there is no manifest to run: `get`, `stat`, `ls`, `url`,
// `set-metadata`. What runs a manifest has all of this from it.

import Credentials
package import MirrorPlan

/// Which services, and with whose credentials.
package struct ServiceAccess: Sendable {
  package var storage: StorageSettings
  /// Secrets by reference, as a manifest names them; empty = nothing is sent.
  package var auth: [AuthEntry] = []
  /// What relative paths in `auth` start from; empty = the working directory.
  package var directory = ""
  /// Whether objects are to be changed, so that Google's tokens are asked for with the scope to write.
  package var changesObjects = false
  /// Hears of credentials that are not sent.
  package var note: @Sendable (String) -> Void = { _ in }

  package init(storage: StorageSettings) { self.storage = storage }

  /// Throws a refusal when a credential is missing.
  func parts(_ environment: RunEnvironment) throws(RunRefusal) -> RunParts {
    var manifest = Manifest(root: ".", storage: storage)
    manifest.auth = auth
    var options = RunOptions(manifestDirectory: directory, manifestPath: "", manifestDigest: nil, version: "")
    options.note = note
    return try RunParts(
      MirrorRun(manifest, options: options, environment: environment), scope: changesObjects ? .readWrite : .readOnly)
  }
}
