// Turns the listing of a tree into entries: which objects are wanted, under which names, and which cannot be had.
// It looks at names only; whether an object is fetched is the planner's.

package import TransferModel

/// What becomes of a listed object.
package enum Admission: Hashable, Sendable {
  case entry(Entry, RemoteFact)
  /// An empty object whose name ends in `/`: the folder is made, and no file. nil = the root.
  case folder(RelativePath?)
  /// `include` and `exclude` leave it out.
  case filtered
  /// An item of the manifest has that destination; the item wins.
  case heldByItem(RelativePath)
  /// It is wanted and cannot be had; the row says why.
  case refused(PlannedEntry)
}

/// The objects of one tree, fed in the order of the listing.
///
/// Objects `a` and `a/b` cannot both be files: the first is kept and the second refused. Names come in byte order, so
/// `a` is followed by the names that begin with `a`, and only the names that begin the present one need to be kept: memory
/// is bounded by the longest name, not by the listing.
package struct EntryInventory: Sendable {
  package let tree: Tree
  /// Handed on to the next tree.
  package private(set) var claims: EntryClaims
  /// Objects that `include` and `exclude` let through, the refused ones too.
  package private(set) var wanted = 0
  /// False once a name came that does not follow the one before it. Conflicts may then be found only when writing, and
  /// the listing is not fit to delete by.
  package private(set) var isOrdered = true

  private let isIncluded: @Sendable (String) -> Bool
  private let prefix: String
  private var previous: ObjectName?
  /// Admitted names that the previous name begins with, shortest first.
  private var open: [String] = []

  /// `isIncluded` answers for names relative to the prefix.
  package init(tree: Tree, claims: EntryClaims, isIncluded: @escaping @Sendable (String) -> Bool) {
    self.tree = tree
    self.claims = claims
    self.isIncluded = isIncluded
    let text = tree.prefix.object?.text ?? ""
    prefix = text.isEmpty || text.utf8.last == UInt8(ascii: "/") ? text : text + "/"
  }

  /// What the end of the listing says; `hasAllPages` is the lister's word.
  package func listing(hasAllPages: Bool) -> ListingFact {
    ListingFact(isComplete: hasAllPages && isOrdered, wanted: wanted)
  }

  package mutating func admit(_ object: ListedObject) -> Admission {
    if let previous, !(previous < object.name) { isOrdered = false }
    previous = object.name
    guard let relative = object.name.behind(prefix) else {
      return refused(
        object, TransferFailure(.unexpectedContent, .permanent, "The listing has a name outside of its prefix."))
    }
    if relative.isEmpty { return marker(object, at: tree.destination) }
    guard isIncluded(relative) else { return .filtered }
    wanted += 1
    let isMarker = relative.utf8.last == UInt8(ascii: "/")
    let path: RelativePath
    do {
      path = try destination(of: isMarker ? String(Substring(relative.utf8.dropLast())) : relative)
    } catch {
      return refused(object, Self.failure(of: error, name: object.name))
    }
    if let file = openFile(above: relative) {
      return refused(
        object,
        .nameConflict(
          "\(TerminalText.escape(object.name.text)) needs a folder where \(TerminalText.escape(file)) is a file."))
    }
    if isMarker { return marker(object, at: path) }
    if claims.isItem(path) { return .heldByItem(path) }
    if let clash = claims.claim(object: path) { return refused(object, clash) }
    open.append(relative)
    return .entry(entry(for: object, at: path), object.fact)
  }

  /// The admitted file that would have to be a folder of this name.
  private mutating func openFile(above relative: String) -> String? {
    while let last = open.last, !relative.utf8.starts(with: last.utf8) { open.removeLast() }
    return open.first { relative.utf8.dropFirst($0.utf8.count).first == UInt8(ascii: "/") }
  }

  private func destination(of relative: String) throws(RelativePath.Violation) -> RelativePath {
    guard let folder = tree.destination else { return try RelativePath(relative) }
    // The part below the prefix must be safe by itself: an empty one would name the folder.
    _ = try RelativePath(relative)
    return try RelativePath(folder.text + "/" + relative)
  }

  private func marker(_ object: ListedObject, at path: RelativePath?) -> Admission {
    guard let size = object.version.size, size > 0 else { return .folder(path) }
    return refused(
      object,
      TransferFailure(
        .markerWithContent, .permanent,
        "\(TerminalText.escape(object.name.text)) has the name of a folder and \(size) bytes of content.",
        hint: "Exclude it, or copy the object to a name that does not end in a slash."))
  }

  private func entry(for object: ListedObject, at path: RelativePath) -> Entry {
    var address = tree.prefix
    address.object = object.name
    return Entry(
      references: [.storage(address)], destination: path, settings: tree.settings, declaration: .tree(tree.mark))
  }

  private func refused(_ object: ListedObject, _ failure: TransferFailure) -> Admission {
    var address = tree.prefix
    address.object = object.name
    let isConflict = failure.reason == .nameConflict || failure.reason == .caseCollision
    return .refused(
      PlannedEntry(
        destination: object.name.text, action: isConflict ? .conflict : .error,
        size: object.version.size.map { ByteCount($0) }, reason: .failure(failure.reason),
        source: Reference.storage(address).display, failure: failure))
  }

  private static func failure(of violation: RelativePath.Violation, name: ObjectName) -> TransferFailure {
    let shown = TerminalText.escape(name.text)
    switch violation {
    case .componentTooLong:
      return TransferFailure(
        .nameTooLong, .permanent,
        "A part of the name \(shown) is longer than \(RelativePath.maximumComponentBytes) bytes.",
        hint: "Exclude the object; no file can have that name.")
    case .pathTooLong:
      return TransferFailure(
        .nameTooLong, .permanent, "The name \(shown) is longer than \(RelativePath.maximumPathBytes) bytes.",
        hint: "Exclude the object; no file can have that name.")
    case .empty, .absolute, .emptyComponent:
      return TransferFailure(
        .emptyNamePart, .permanent,
        "The name \(shown) has nothing before or between slashes, which no path can have.",
        hint: "Exclude the object, or name it as an item with a destination of its own.")
    case .reserved:
      return TransferFailure(
        .reservedName, .permanent, "The name \(shown) is one that mirror keeps for itself (.mirror, .mirror-…).",
        hint: "Exclude the object, or name it as an item with a destination of its own.")
    case .dotComponent, .parentComponent, .nul:
      return TransferFailure(
        .unsafeName, .permanent, "The name \(shown) is no safe path (\(violation.rawValue)).",
        hint: "Exclude the object, or name it as an item with a destination of its own.")
    }
  }
}
