// The `matchGlob` language of Google's list call: `*` and `?` stay within a folder, `**` does not, `[a-z]`, `[!a-z]`,
// `{one,two}`.

struct MatchGlob {
  /// The pattern once for each way through its braces.
  private let alternatives: [[UInt32]]

  /// nil when a brace or bracket is not closed, or the braces make more than 1,000 patterns.
  init?(_ pattern: String) {
    guard let expanded = Self.expand(pattern.unicodeScalars.map(\.value)) else { return nil }
    alternatives = expanded
  }

  func matches(_ name: String) -> Bool {
    let text = name.unicodeScalars.map(\.value)
    return alternatives.contains { Self.match($0[...], text[...]) }
  }

  private static func scalar(_ character: Unicode.Scalar) -> UInt32 { character.value }

  private static func expand(_ pattern: [UInt32]) -> [[UInt32]]? {
    guard let open = pattern.firstIndex(of: scalar("{")) else { return [pattern] }
    var depth = 0
    var starts = [open + 1]
    var parts: [ArraySlice<UInt32>] = []
    for index in open..<pattern.count {
      switch pattern[index] {
      case scalar("{"): depth += 1
      case scalar(",") where depth == 1:
        parts.append(pattern[starts[starts.count - 1]..<index])
        starts.append(index + 1)
      case scalar("}"):
        depth -= 1
        guard depth == 0 else { continue }
        parts.append(pattern[starts[starts.count - 1]..<index])
        var all: [[UInt32]] = []
        for part in parts {
          guard let rest = expand(Array(pattern[..<open]) + Array(part) + Array(pattern[(index + 1)...])) else {
            return nil
          }
          all += rest
          guard all.count <= 1000 else { return nil }
        }
        return all
      default: break
      }
    }
    return nil
  }

  private static func match(_ pattern: ArraySlice<UInt32>, _ text: ArraySlice<UInt32>) -> Bool {
    var pattern = pattern
    var text = text
    while let token = pattern.first {
      switch token {
      case scalar("*"):
        let crosses = pattern.dropFirst().first == scalar("*")
        let rest = pattern.drop { $0 == scalar("*") }
        // `**/` also stands for no folder at all.
        if crosses, rest.first == scalar("/"), match(rest.dropFirst(), text) { return true }
        while true {
          if match(rest, text) { return true }
          guard let next = text.popFirst(), crosses || next != scalar("/") else { return false }
        }
      case scalar("?"):
        guard let next = text.popFirst(), next != scalar("/") else { return false }
        pattern = pattern.dropFirst()
      case scalar("["):
        guard let next = text.popFirst(), let (rest, found) = matchClass(pattern.dropFirst(), next), found else {
          return false
        }
        pattern = rest
      default:
        guard text.popFirst() == token else { return false }
        pattern = pattern.dropFirst()
      }
    }
    return text.isEmpty
  }

  /// The pattern after a bracket expression, and whether `character` is in it; nil when it is not closed.
  private static func matchClass(
    _ pattern: ArraySlice<UInt32>, _ character: UInt32
  ) -> (rest: ArraySlice<UInt32>, found: Bool)? {
    var pattern = pattern
    let negated = pattern.first == scalar("!") || pattern.first == scalar("^")
    if negated { pattern.removeFirst() }
    var found = false
    var isFirst = true
    while let low = pattern.popFirst() {
      if low == scalar("]"), !isFirst { return (pattern, found != negated && character != scalar("/")) }
      isFirst = false
      if pattern.first == scalar("-"), let high = pattern.dropFirst().first, high != scalar("]") {
        pattern = pattern.dropFirst(2)
        found = found || (low <= character && character <= high)
      } else {
        found = found || low == character
      }
    }
    return nil
  }
}
