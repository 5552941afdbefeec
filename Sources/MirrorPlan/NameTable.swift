// Finds names that were seen by their hashes, in eight bytes a name. The names themselves are the caller's.

/// Numbers of names by the hashes of these, in a table that is probed from place to place.
struct NameTable {
  /// A number and 1 in each place; 0 = nothing.
  private var places: [UInt32]
  private let mask: Int

  /// `count` is the most names that will be inserted.
  init(expecting count: Int) {
    var size = 16
    while size < count * 2 { size *= 2 }
    places = [UInt32](repeating: 0, count: size)
    mask = size - 1
  }

  /// The number of the name that `isSame` knows; nil when there is none, and then `new` is the number of this one.
  mutating func number(of hash: Int, insert new: Int? = nil, _ isSame: (Int) -> Bool) -> Int? {
    var place = hash & mask
    while places[place] != 0 {
      let number = Int(places[place] - 1)
      if isSame(number) { return number }
      place = (place + 1) & mask
    }
    if let new { places[place] = UInt32(new + 1) }
    return nil
  }
}
