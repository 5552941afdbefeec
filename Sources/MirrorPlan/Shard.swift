// One of several runs that share the work over one manifest. Which one this is, when an engine started it, is read by
// `ShardVariables`.

package import TransferModel

/// The `index`-th of `count` runs, counted from 1; written `3/8`.
///
/// Every destination belongs to one shard of each count, by rendezvous hashing (Thaler and Ravishankar, "Using name-based
/// mappings to increase hit rates", 1998): to the one whose number, mixed with the destination's bytes, gives the greatest
/// weight. So shards are of about the same size whatever the names look like, and a shard more takes its share from all
/// the others, and moves nothing between those. The weights are part of what a version promises: two machines with different
/// versions may share a run.
package struct Shard: Hashable, Sendable, CustomStringConvertible {
  /// More shards than this are refused.
  package static let most = 4_096

  package let index: Int
  package let count: Int

  /// nil unless `1 ≤ index ≤ count ≤ most`.
  package init?(_ index: Int, of count: Int) {
    guard count <= Self.most, index >= 1, index <= count else { return nil }
    self.index = index
    self.count = count
  }

  /// Reads `3/8`: decimal digits without signs or zeros before them.
  package init?(parsing text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let index = Self.number(parts[0]), let count = Self.number(parts[1]) else { return nil }
    self.init(index, of: count)
  }

  package var description: String { "\(index)/\(count)" }
  /// For file names: `3-of-8`.
  package var fileStem: String { "\(index)-of-\(count)" }

  /// The place of what each shard has for itself: `out/report.json` becomes `out/report.3-of-8.json`.
  package func ownPath(_ path: String) -> String {
    let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else {
      return "\(path).\(fileStem)"
    }
    return "\(path[..<dot]).\(fileStem)\(path[dot...])"
  }

  /// Whether that destination is this shard's.
  package func owns(_ destination: RelativePath) -> Bool {
    count == 1 || Self.index(of: Self.hash(destination.text.utf8), among: count) == index
  }

  /// The shard of a destination, given as its bytes.
  package static func index(of destination: some Sequence<UInt8>, among count: Int) -> Int {
    index(of: hash(destination), among: count)
  }

  private static func index(of hash: UInt64, among count: Int) -> Int {
    var (best, greatest) = (1, UInt64.min)
    for index in 1...max(1, count) {
      let weight = mixed(hash ^ mixed(UInt64(index)))
      if weight > greatest { (best, greatest) = (index, weight) }
    }
    return best
  }

  /// FNV-1a, 64 bits.
  private static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  private static func mixed(_ number: UInt64) -> UInt64 { BitMixer.scattered(number &+ BitMixer.increment) }

  static func number(_ text: some StringProtocol) -> Int? {
    guard let first = text.utf8.first, first != UInt8(ascii: "0"), text.utf8.allSatisfy({ ASCII.isDigit($0) }) else {
      return nil
    }
    return Int(text)
  }
}
