// `items:`: one object, one file.

import TransferModel

extension ManifestValidator {
  /// The list is empty afterwards.
  mutating func items(_ list: inout ItemListDraft?, _ context: EntryContext) -> (ItemList, DestinationPlaces) {
    var items = ItemList()
    var places = DestinationPlaces(expecting: list?.count ?? 0)
    list?.drain {
      take($0, context, &items, &places)
    } _: { draft in
      guard let item = item(draft, context), let to = draft.fields[.to] else { return }
      if keepsItems { items.append(item) }
      places.append(item.destination, at: to.span)
    }
    return (items, places)
  }

  private mutating func item(_ draft: ItemDraft, _ context: EntryContext) -> Item? {
    var generation = number(draft.fields[.generation], "generation", in: 1...Int64.max)
    var references: [Reference] = []
    for text in draft.references {
      guard let reference = reference(text, context) else { continue }
      if checkNamesObject(reference, text) { references.append(reference.value) }
      pinGeneration(of: reference, text, to: &generation, draft)
    }
    let pins = pins(draft)
    let size = size(draft.fields[.size])
    let checksumURL = url(draft.fields[.checksumURL])
    let placeholder = path(draft.fields[.placeholder], "placeholder")
    let settings = settings(draft.settings, over: context.defaults)
    let isWhole = references.count == draft.references.count
    if let field = draft.fields[.generation], generation != nil, isWhole, !references.contains(where: \.isStorage) {
      diagnostics.error(field.span, "`generation` belongs to objects of Cloud Storage; this reference is a plain URL")
    }
    guard let to = draft.fields[.to], let destination = destination(to, of: isWhole ? references.first : nil)
    else { return nil }
    return Item(
      WantedFile(
        references: references, destination: destination, settings: settings, pins: pins, size: size,
        generation: generation, checksumURL: checksumURL, placeholder: placeholder),
      mark: draft.span.mark)
  }

  /// The complete destination; nil when it breaks a rule, or needs the name of a reference that is broken itself.
  private mutating func destination(_ field: LocatedText, of reference: Reference?) -> RelativePath? {
    guard let text = expand(field), let destination = destination(text) else { return nil }
    if case .file(let path) = destination { return path }
    guard let reference else { return nil }
    guard let name = reference.lastName else {
      diagnostics.error(
        text.span, "the destination is a folder, and the reference has no last name to keep",
        hint: "write the whole destination")
      return nil
    }
    do {
      let path = try destination.completed(with: name)
      if !path.text.hasControlCharacter { return path }
      diagnostics.error(
        text.span, "the reference's last name has a control character", hint: "write the whole destination")
    } catch {
      diagnostics.error(
        text.span, "the destination with the reference's last name \(error.explanation.message)",
        hint: "write the whole destination")
    }
    return nil
  }

  /// What `to:` says, for items and trees.
  mutating func destination(_ text: ExpandedText, emptyHint: String? = nil) -> Destination? {
    do {
      let destination = try Destination(text.value)
      if !text.value.hasControlCharacter { return destination }
      diagnostics.error(
        text.span, "the destination has a control character", hint: "line breaks and the like are no names")
    } catch {
      diagnostics.error(
        text.span, "the destination \(error.explanation.message)",
        hint: error == .empty ? emptyHint ?? error.explanation.hint : error.explanation.hint)
    }
    return nil
  }

  /// An item names one object, not a bucket and not a folder.
  private mutating func checkNamesObject(_ reference: ReadReference, _ field: LocatedText) -> Bool {
    guard let violation = reference.value.lackOfObject(writtenAs: reference.text) else { return true }
    diagnostics.error(field.span, violation.message, hint: violation.hint)
    return false
  }

  /// A link with `generation=` pins that generation, as the item's own key does.
  private mutating func pinGeneration(
    of reference: ReadReference, _ field: LocatedText, to generation: inout Int64?, _ draft: ItemDraft
  ) {
    guard reference.value.isStorage, let named = Reference.generation(ofLink: reference.text) else { return }
    if let wanted = generation, wanted != named {
      diagnostics.error(field.span, "the link names generation \(named), the item \(wanted)")
    } else {
      generation = named
    }
  }

  private static let pinKeys: [(ItemKey, DigestAlgorithm)] = [
    (.sha256, .sha256), (.sha512, .sha512), (.md5, .md5), (.crc32c, .crc32c),
  ]

  private mutating func pins(_ draft: ItemDraft) -> DigestSet {
    var pins = draft.pins
    for (key, algorithm) in Self.pinKeys {
      guard let text = expand(draft.fields[key]) else { continue }
      do {
        pins[algorithm] = try Digest(parsing: text.value, as: algorithm)
      } catch {
        diagnostics.error(
          text.span, error.message, hint: "write \(algorithm.byteCount * 2) hexadecimal digits, or base64")
      }
    }
    return pins
  }

  private mutating func url(_ field: LocatedText?) -> HTTPURL? {
    guard let text = expand(field) else { return nil }
    do {
      return try HTTPURL(parsing: text.value)
    } catch {
      diagnostics.error(text.span, "no URL: \(error.rawValue)")
      return nil
    }
  }
}

/// A reference with its text after variables.
struct ReadReference {
  var value: Reference
  var text: String
}

extension Reference {
  var isStorage: Bool {
    if case .storage = self { true } else { false }
  }
}

extension ManifestValidator {
  /// nil when the text is no reference; that has been reported.
  mutating func reference(_ field: LocatedText, _ context: EntryContext) -> ReadReference? {
    guard let text = expand(field) else { return nil }
    do {
      let reference = try Reference(parsing: text.value, storage: context.storage, links: &links)
      warnOfPlainSlashes(reference, text)
      return ReadReference(value: reference, text: text.value)
    } catch {
      if error.isLackOfBucket, context.mayLackBucket { return nil }
      diagnostics.error(text.span, error.message, hint: error.hint)
      return nil
    }
  }

  /// Such a link works nowhere else: the service wants the name as one segment.
  private mutating func warnOfPlainSlashes(_ reference: Reference, _ text: ExpandedText) {
    guard case .storage(let address) = reference, let url = try? HTTPURL(parsing: text.value),
      let object = url.path.firstRange(of: "/o/").map({ url.path[$0.upperBound...] }),
      url.path.contains("/b/"), object.utf8.contains(UInt8(ascii: "/")), let name = address.object
    else { return }
    let known = text.isAsWritten ? " and is taken as `\(name)`" : ""
    diagnostics.warning(
      text.span, "the object's name has plain slashes in this link\(known)", hint: "in links, write `%2F` for `/`")
  }
}

extension String {
  /// ASCII's control characters: legal in names of files, and a trap for whoever lists them.
  fileprivate var hasControlCharacter: Bool { utf8.contains { $0 < 0x20 || $0 == 0x7F } }
}
