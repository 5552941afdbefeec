// "Did you mean": the known word that a mistyped one is nearest to.

/// Finds the word that was probably meant.
package enum Suggestion {
  /// The candidate with the fewest edits to `word`, at most a third of its characters (at least one); nil when none is that
  /// near. The first of equals wins. Case does not count.
  package static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
    let wanted = Array(word.lowercased().unicodeScalars)
    guard !wanted.isEmpty, wanted.count <= maximumLength else { return nil }
    var bound = max(1, wanted.count / 3) + 1
    var best: String?
    for candidate in candidates {
      let other = Array(candidate.lowercased().unicodeScalars)
      if let distance = distance(wanted, other, below: bound) {
        bound = distance
        best = candidate
      }
      if bound == 0 { break }
    }
    return best
  }

  /// "did you mean `x`?", or nil.
  package static func hint(for word: String, among candidates: some Sequence<String>) -> String? {
    nearest(to: word, among: candidates).map { "did you mean `\($0)`?" }
  }

  /// Longer words are not typing mistakes of ours; and the work is the product of both lengths.
  private static let maximumLength = 64

  /// Insertions, deletions, substitutions and swaps of neighbours that turn one into the other (optimal string
  /// alignment); nil when it takes `bound` or more.
  private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar], below bound: Int) -> Int? {
    guard abs(left.count - right.count) < bound else { return nil }
    var beforePrevious: [Int] = []
    var previous = Array(0...right.count)
    for row in 0..<left.count {
      var current = [row + 1]
      current.reserveCapacity(right.count + 1)
      for column in 0..<right.count {
        let substitution = previous[column] + (left[row] == right[column] ? 0 : 1)
        var cost = min(substitution, previous[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          cost = min(cost, beforePrevious[column - 1] + 1)
        }
        current.append(cost)
      }
      beforePrevious = previous
      previous = current
    }
    let total = previous[right.count]
    return total < bound ? total : nil
  }
}
