// URLs of one site, of which only the rest needs to be kept: what follows scheme, user information, host and port.

import Glibc

extension HTTPURL {
  /// Whether both are the same up to the path.
  package func isBeside(_ other: HTTPURL) -> Bool {
    guard pathStart == other.pathStart else { return false }
    return wireText.utf8.withContiguousStorageIfAvailable { mine in
      other.wireText.utf8.withContiguousStorageIfAvailable { theirs in
        guard let left = mine.baseAddress, let right = theirs.baseAddress else { return false }
        return memcmp(left, right, pathStart) == 0
      } ?? false
    } ?? wireText.utf8.prefix(pathStart).elementsEqual(other.wireText.utf8.prefix(pathStart))
  }

  /// The URL with the path `/` and no query.
  package var site: HTTPURL { HTTPURL(origin: origin, userInfo: userInfo, path: "/") }

  /// Lends the bytes of path and query, `?` included, and how many of them are the path's.
  package func withRest<Result>(_ body: (UnsafeBufferPointer<UInt8>, _ pathLength: Int) -> Result) -> Result {
    var text = wireText
    return text.withUTF8 { bytes in
      body(UnsafeBufferPointer(rebasing: bytes[pathStart...]), pathUTF8.count)
    }
  }

  /// The URL beside `neighbour` that has this path and query, as `withRest` lent them.
  package init(beside neighbour: HTTPURL, rest: UnsafeBufferPointer<UInt8>, pathLength: Int) {
    let start = neighbour.pathStart
    var first = neighbour.wireText
    let text = first.withUTF8 { first in
      String(unsafeUninitializedCapacity: start + rest.count) { room in
        let end = room.update(fromContentsOf: first[..<start])
        _ = room[end...].update(fromContentsOf: rest)
        return start + rest.count
      }
    }
    self.init(
      neighbour.origin, userInfo: neighbour.userInfo, text: text, pathStart: start, pathEnd: start + pathLength)
  }
}
