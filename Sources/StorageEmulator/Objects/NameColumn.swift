// Sorted names that a listing walks: from a folder, from memory, or made up as they are asked for.

import Glibc
import TransferModel

/// Names in byte order, found by their position.
protocol NameColumn: Sendable {
  var count: Int { get }
  func name(at index: Int) -> ObjectName
}

extension NameColumn {
  /// The position of the first name that is not below `key`.
  func lowerBound(_ key: ObjectName) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = low + (high - low) / 2
      if name(at: middle).precedes(key) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// Names that are all at hand.
struct SortedNames: NameColumn {
  private let names: [ObjectName]

  init(_ unsorted: [ObjectName]) { names = unsorted.sorted { $0.precedes($1) } }

  var count: Int { names.count }
  func name(at index: Int) -> ObjectName { names[index] }
}

/// Any number of names that cost nothing until they are asked for, as `photos/0012/000012345.jpg`.
package struct GeneratedNames: NameColumn, Sendable {
  package var count: Int
  package var prefix: String
  package var suffix: String
  /// Names per folder; 0 puts all of them beside each other.
  package var perFolder: Int
  /// The size of each object in bytes.
  package var objectSize: Int64

  package init(count: Int, prefix: String = "", suffix: String = "", perFolder: Int = 0, objectSize: Int64 = 16) {
    self.count = count
    self.prefix = prefix
    self.suffix = suffix
    self.perFolder = perFolder
    self.objectSize = objectSize
  }

  func name(at index: Int) -> ObjectName {
    guard perFolder > 0 else { return ObjectName(prefix + Self.padded(index, below: count) + suffix) }
    let folder = Self.padded(index / perFolder, below: (count + perFolder - 1) / perFolder)
    return ObjectName(prefix + folder + "/" + Self.padded(index % perFolder, below: perFolder) + suffix)
  }

  /// The position of a name; nil when it is none of these.
  func index(of name: ObjectName) -> Int? {
    let numbers = name.text.utf8.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
      .split(separator: UInt8(ascii: "/")).compactMap { Int(Substring($0)) }
    guard let last = numbers.last, let first = numbers.first, numbers.count <= 2 else { return nil }
    let (start, overflows) = first.multipliedReportingOverflow(by: perFolder)
    guard !overflows, last >= 0, last < count, start >= 0, start < count else { return nil }
    let index = numbers.count == 2 ? start + last : last
    // Only a name that is spelt exactly so is one of these.
    return index < count && self.name(at: index) == name ? index : nil
  }

  /// As many digits as the largest number needs, so that byte order is the order of the numbers.
  private static func padded(_ number: Int, below limit: Int) -> String {
    let width = String(max(0, limit - 1)).utf8.count
    let digits = String(number)
    return String(repeating: "0", count: width - digits.utf8.count) + digits
  }
}

extension ObjectName {
  /// As `<`, over the stored bytes at once.
  func precedes(_ other: ObjectName) -> Bool {
    var left = text
    var right = other.text
    return left.withUTF8 { left in
      right.withUTF8 { right in
        let common = min(left.count, right.count)
        guard common > 0, let first = left.baseAddress, let second = right.baseAddress else {
          return left.count < right.count
        }
        let order = memcmp(first, second, common)
        return order < 0 || (order == 0 && left.count < right.count)
      }
    }
  }
}
