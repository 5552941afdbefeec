// The `fields` parameter of Google's API: which members of an answer are wanted.

import TransferModel

/// A mask such as `items(name,size),prefixes,nextPageToken`, also with `/` and `*`.
struct FieldsMask {
  /// nil = everything from here on.
  private var members: [String: FieldsMask]?

  /// Everything.
  init() { members = nil }

  /// nil when the parentheses do not match or a name is empty.
  init?(_ text: String) {
    var rest = Array(text.utf8)[...]
    guard let mask = Self.list(&rest), rest.isEmpty else { return nil }
    self = mask
  }

  /// The mask below a member; nil when the member is not wanted.
  subscript(name: String) -> FieldsMask? {
    guard let members else { return self }
    return members[name] ?? members["*"]
  }

  func applied(to json: JSONValue) -> JSONValue {
    guard members != nil else { return json }
    switch json {
    case .object(let pairs):
      return .object(
        pairs.compactMap { pair in self[pair.key].map { JSONValue.Member(pair.key, $0.applied(to: pair.value)) } })
    case .array(let values): return .array(values.map(applied(to:)))
    default: return json
    }
  }

  private static func list(_ text: inout ArraySlice<UInt8>) -> FieldsMask? {
    var members: [String: FieldsMask] = [:]
    repeat {
      guard let (name, mask) = member(&text) else { return nil }
      members[name] = mask
    } while take(",", &text)
    var mask = FieldsMask()
    mask.members = members
    return mask
  }

  private static func member(_ text: inout ArraySlice<UInt8>) -> (String, FieldsMask)? {
    let stops = Array(",()/".utf8)
    let name = text.prefix { !stops.contains($0) }
    text = text.dropFirst(name.count)
    guard !name.isEmpty else { return nil }
    var mask = FieldsMask()
    if take("/", &text) {
      guard let (inner, rest) = member(&text) else { return nil }
      mask.members = [inner: rest]
    } else if take("(", &text) {
      guard let inner = list(&text), take(")", &text) else { return nil }
      mask = inner
    }
    return (String(decoding: name, as: UTF8.self), mask)
  }

  private static func take(_ character: Unicode.Scalar, _ text: inout ArraySlice<UInt8>) -> Bool {
    guard text.first == UInt8(ascii: character) else { return false }
    text.removeFirst()
    return true
  }
}
