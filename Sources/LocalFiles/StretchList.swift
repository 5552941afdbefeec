// Which stretches of a file have been written, each with its checksum: pure.

import TransferModel

/// Stretches in order, without overlap; those that touch become one.
struct StretchList {
  struct Stretch {
    var range: Range<Int64>
    /// nil = its bytes were not seen by this process.
    var crc32c: UInt32?
  }

  private(set) var all: [Stretch] = []

  init(unseen ranges: some Sequence<Range<Int64>> = []) {
    all = ranges.map { Stretch(range: $0, crc32c: nil) }
  }

  /// Whether none of these bytes is there.
  func isFree(_ range: Range<Int64>) -> Bool { !all.contains { $0.range.overlaps(range) } }

  /// Adds bytes of which none is there.
  mutating func add(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
    let end = offset + Int64(bytes.count)
    let place = all.firstIndex { $0.range.upperBound >= offset } ?? all.count
    if place < all.count, all[place].range.upperBound == offset {
      all[place].range = all[place].range.lowerBound..<end
      all[place].crc32c = all[place].crc32c.map { CRC32C.update($0, with: bytes) }
    } else {
      all.insert(Stretch(range: offset..<end, crc32c: CRC32C.update(with: bytes)), at: place)
    }
    joinNext(after: place)
  }

  private mutating func joinNext(after place: Int) {
    guard place + 1 < all.count, all[place].range.upperBound == all[place + 1].range.lowerBound else { return }
    let next = all.remove(at: place + 1)
    if let first = all[place].crc32c, let second = next.crc32c {
      all[place].crc32c = CRC32C.combine(first, second, secondLength: Int64(next.range.count))
    } else {
      all[place].crc32c = nil
    }
    all[place].range = all[place].range.lowerBound..<next.range.upperBound
  }

  /// Takes out the stretch that begins at `offset`, if it is the first one.
  mutating func takeFirst(at offset: Int64) -> Stretch? {
    guard all.first?.range.lowerBound == offset else { return nil }
    return all.removeFirst()
  }

  mutating func removeAll() { all = [] }
}
