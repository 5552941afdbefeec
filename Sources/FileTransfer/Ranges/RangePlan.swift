// Which stream of a download fetches which bytes: pure. When there are to be more streams is `StreamGrowth`.

/// The missing bytes of one object, shared out among numbered streams; what no stream works on is a hole.
package struct RangePlan: Sendable {
  /// What one stream still has to bring.
  package struct Piece: Hashable, Sendable {
    package var next: Int64
    package var end: Int64
    package var remaining: Int64 { end - next }

    package init(next: Int64, end: Int64) {
      self.next = next
      self.end = end
    }
  }

  package let total: Int64
  /// In order, never touching.
  package private(set) var holes: [Range<Int64>]
  /// Bytes that are not there yet.
  package private(set) var missing: Int64
  /// A handful, looked at for every few KiB: a list is faster than a dictionary.
  private var running: [(stream: Int, piece: Piece)] = []

  /// Everything but `held` is missing; `held` is in order, without overlap.
  package init(total: Int64, held: [Range<Int64>]) {
    self.total = total
    var (holes, end): ([Range<Int64>], Int64) = ([], 0)
    for stretch in held where stretch.lowerBound < total {
      if stretch.lowerBound > end { holes.append(end..<stretch.lowerBound) }
      end = max(end, stretch.upperBound)
    }
    if end < total { holes.append(end..<total) }
    self.holes = holes
    missing = holes.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
  }

  package var held: Int64 { total - missing }

  /// Streams that have a piece.
  package var streams: [Int] { running.map(\.stream) }

  package subscript(stream: Int) -> Piece? { place(of: stream).map { running[$0].piece } }

  private func place(of stream: Int) -> Int? { running.firstIndex { $0.stream == stream } }

  /// Gives a stream the first hole; nil when there is none.
  package mutating func takeFirstHole(for stream: Int) -> Piece? {
    guard let hole = holes.first else { return nil }
    holes.removeFirst()
    let piece = Piece(next: hole.lowerBound, end: hole.upperBound)
    running.append((stream, piece))
    return piece
  }

  /// Gives a stream something to do that no other does: the first hole, else the second half of the piece of which most is
  /// left; nil when no piece can be cut into halves of `minimum` bytes.
  package mutating func takeShare(for stream: Int, minimum: Int64) -> Piece? {
    if let piece = takeFirstHole(for: stream) { return piece }
    let longest = running.indices.max { running[$0].piece.remaining < running[$1].piece.remaining }
    guard let longest, running[longest].piece.remaining >= 2 * max(1, minimum) else { return nil }
    let piece = running[longest].piece
    let middle = Self.cut(of: piece)
    running[longest].piece.end = middle
    let share = Piece(next: middle, end: piece.end)
    running.append((stream, share))
    return share
  }

  /// The middle, at the begin of a page where the piece is long enough to have one.
  private static func cut(of piece: Piece) -> Int64 {
    let middle = piece.next + piece.remaining / 2
    let page = middle & ~4_095
    return page > piece.next ? page : middle
  }

  /// How many bytes the stream may still write.
  package func room(of stream: Int) -> Int64 { self[stream]?.remaining ?? 0 }

  package mutating func advance(_ stream: Int, by count: Int64) {
    guard let place = place(of: stream) else { return }
    running[place].piece.next += count
    missing -= count
  }

  /// Lets the stream go on into the hole behind its piece, if there is one.
  package mutating func extend(_ stream: Int) {
    guard let place = place(of: stream), running[place].piece.remaining > 0,
      let hole = holes.firstIndex(where: { $0.lowerBound == running[place].piece.end })
    else { return }
    running[place].piece.end = holes.remove(at: hole).upperBound
  }

  /// The stream works no more; what is left of its piece is a hole.
  package mutating func end(_ stream: Int) {
    guard let place = place(of: stream) else { return }
    let piece = running.remove(at: place).piece
    guard piece.remaining > 0 else { return }
    var hole = piece.next..<piece.end
    if let before = holes.firstIndex(where: { $0.upperBound == hole.lowerBound }) {
      hole = holes.remove(at: before).lowerBound..<hole.upperBound
    }
    if let after = holes.firstIndex(where: { $0.lowerBound == hole.upperBound }) {
      hole = hole.lowerBound..<holes.remove(at: after).upperBound
    }
    holes.insert(hole, at: holes.firstIndex { $0.lowerBound > hole.lowerBound } ?? holes.count)
  }
}
