// The rules of the manifest: from what was written to what is wanted, or to all that is wrong with it.
// Pure: the environment and the target's ways with case are parameters. Reading YAML is `ManifestYAML`.

import TransferModel

/// Checks one draft. Every rule is tried, so that one run reports all mistakes; a value that breaks a rule counts as left
/// out for the rest.
package struct ManifestValidator {
  var variables: Variables
  /// Whether the target's file system takes `A` and `a` for one name.
  let foldsCase: Bool
  /// Whether the items are wanted, and not only what is wrong with them: then nothing that grows with them but their
  /// destinations is kept.
  let keepsItems: Bool
  /// How many items were found good.
  package private(set) var itemCount = 0
  /// For all references of the manifest, which has one `storage`.
  var links = LinkReader()
  /// What was found; decoding may have put its own findings in before.
  package var diagnostics: DiagnosticList

  package init(
    environment: @escaping (String) -> String?, foldsCase: Bool, keepsItems: Bool = true,
    diagnostics: DiagnosticList = DiagnosticList()
  ) {
    self.keepsItems = keepsItems
    variables = Variables(environment: environment)
    self.foldsCase = foldsCase
    self.diagnostics = diagnostics
  }

  /// The only version there is; another one may mean other things by the same keys.
  package static let version = "1"

  /// The manifest without its warnings, which are in `diagnostics`; nil when there is an error, then or before.
  package mutating func validate(_ draft: consuming ManifestDraft) -> Manifest? {
    checkVersion(draft.fields[.version])
    let root = path(draft.fields[.root], "root")
    let auth = auth(draft.auth)
    let storage = storage(draft.storage, api: auth.impliedAPI)
    let defaults = settings(draft.defaults, over: Shared(TransferSettings()))
    let limits = limits(draft.limits, draft.rateTables)
    let publish = publish(draft.publish)
    let report = report(draft.report)
    let onChange = draft.onChange.flatMap { command($0, "on_change") }
    warnOfNothing(draft)
    // After a syntax error, a bucket may be named further down.
    let mayLackBucket = !draft.isComplete && storage.bucket == nil
    let context = EntryContext(storage: storage, defaults: defaults, mayLackBucket: mayLackBucket)
    let (items, itemPlaces) = items(&draft.items, context)
    itemCount = itemPlaces.destinations.count
    let (trees, treePlaces) = trees(draft.trees?.elements ?? [], context)
    checkOverlaps(itemPlaces, treePlaces)
    checkTwins(trees, treePlaces)
    guard let root, !diagnostics.hasErrors else { return nil }
    return Manifest(
      root: root, storage: storage, auth: auth, limits: limits, publish: publish, items: items, trees: trees,
      report: report, onChange: onChange)
  }

  private mutating func checkVersion(_ field: LocatedText?) {
    guard let text = expand(field), text.value != Self.version else { return }
    diagnostics.error(
      text.span, "version \(text.quoted) is not known", hint: "this mirror reads `version: \(Self.version)`")
  }

  /// An empty selection is nothing, never everything; and it is rarely meant.
  private mutating func warnOfNothing(_ draft: borrowing ManifestDraft) {
    guard draft.isComplete, !diagnostics.hasErrors else { return }
    for (name, span, isEmpty) in [
      ("items", draft.items?.span, draft.items?.isEmpty ?? false),
      ("trees", draft.trees?.span, draft.trees?.elements.isEmpty ?? false),
    ] where isEmpty {
      diagnostics.warning(
        span ?? SourceSpan(line: 1, column: 1), "`\(name)` is empty and stands for nothing at all")
    }
    if draft.items == nil, draft.trees == nil {
      diagnostics.warning(
        SourceSpan(line: 1, column: 1), "the manifest has neither `items` nor `trees`: there is nothing to do")
    }
  }
}

/// What entries are read with.
struct EntryContext {
  var storage: StorageSettings
  var defaults: Shared<TransferSettings>
  var mayLackBucket: Bool
}

/// The destinations of entries, and where they were written, which is where overlaps are reported.
struct DestinationPlaces {
  private(set) var destinations: [RelativePath?] = []
  private(set) var spans: [SourceSpan] = []

  init(expecting count: Int) {
    destinations.reserveCapacity(count)
    spans.reserveCapacity(count)
  }

  /// `destination` is nil for the root.
  mutating func append(_ destination: RelativePath?, at span: SourceSpan) {
    destinations.append(destination)
    spans.append(span)
  }
}
