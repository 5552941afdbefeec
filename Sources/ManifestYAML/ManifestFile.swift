// The door of this module: bytes in, a manifest or all that is wrong with it out.

package import MirrorPlan

/// A manifest that was read, for better or worse.
package struct ManifestFile: Sendable {
  /// What the text is called, for showing findings.
  package let name: String
  /// nil when there is at least one error. Its `warnings` are those of `diagnostics`.
  package let manifest: Manifest?
  /// How many of the items are good.
  package let itemCount: Int
  /// Errors and warnings in the order of the text; at most 200 and 50, and then how many more there were.
  package let diagnostics: [Diagnostic]

  /// Reads a manifest from memory. Never throws and never traps, whatever the bytes are; takes time and memory in proportion
  /// to their number.
  ///
  /// - Parameters:
  ///   - bytes: the whole text, at most 64 MiB, UTF-8 with or without a byte order mark.
  ///   - name: what the text is called: its path, or `-`.
  ///   - environment: the value of a variable; nil when it is not set.
  ///   - foldsCase: whether the target's file system takes `A` and `a` for one name.
  ///   - keepsItems: false when only the findings are wanted: the manifest has no items then, only their number, and takes
  ///     little more memory than its text.
  package static func load(
    bytes: [UInt8], name: String, environment: @escaping (String) -> String?, foldsCase: Bool,
    keepsItems: Bool = true
  ) -> ManifestFile {
    let problems = ManifestText.problems(of: bytes)
    guard problems.isEmpty else { return ManifestFile(name: name, manifest: nil, itemCount: 0, diagnostics: problems) }
    let (draft, findings) = ManifestDecoder.decode(bytes)
    var validator = ManifestValidator(
      environment: environment, foldsCase: foldsCase, keepsItems: keepsItems, diagnostics: findings)
    var manifest = validator.validate(consume draft)
    let diagnostics = validator.diagnostics.sorted()
    manifest?.warnings = diagnostics
    return ManifestFile(name: name, manifest: manifest, itemCount: validator.itemCount, diagnostics: diagnostics)
  }
}
