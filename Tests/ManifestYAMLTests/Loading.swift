// Short ways to load a manifest and to look at what was found.

import ManifestYAML
import MirrorPlan

func load(_ text: String, environment: [String: String] = [:], foldsCase: Bool = false) -> ManifestFile {
  load(Array(text.utf8), environment: environment, foldsCase: foldsCase)
}

func load(_ bytes: [UInt8], environment: [String: String] = [:], foldsCase: Bool = false) -> ManifestFile {
  ManifestFile.load(bytes: bytes, name: "m.yaml", environment: { environment[$0] }, foldsCase: foldsCase)
}

/// A manifest with these lines below `items:`.
func withItems(_ items: String) -> String {
  "version: 1\nroot: out\nitems:\n" + items
}

extension ManifestFile {
  var errors: [Diagnostic] { diagnostics.filter { $0.severity == .error } }
  var warnings: [Diagnostic] { diagnostics.filter { $0.severity == .warning } }

  /// `line:column message` of each finding.
  var lines: [String] { diagnostics.map { "\($0.mark.line):\($0.mark.column) \($0.message)" } }
}
