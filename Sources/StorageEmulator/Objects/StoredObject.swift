// One live object, as a lookup found it.

package import TransferModel

/// An object with its bytes and facts; a snapshot that later changes do not touch.
package struct StoredObject: Sendable {
  package var bucket: String
  package var name: ObjectName
  package var content: ObjectContent
  /// Microseconds since 1970 of the last change of the bytes.
  package var generation: Int64
  package var metageneration: Int64
  package var created: Timestamp
  package var updated: Timestamp
  package var metadata: ObjectMetadata
  /// Digests of the stored bytes; asked for only where an answer names them, because a file must be read for them.
  var digests: @Sendable () -> DigestSet

  package var size: Int64 { content.size }

  /// What JSON answers call `etag`: it moves with the bytes and with the metadata, and is no hash.
  package var etag: String { Base64.encoded(Array("\(generation)/\(metageneration)".utf8)) }
}

enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// With padding (RFC 4648 section 4).
  static func encoded(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let word = group.enumerated().reduce(UInt32(0)) { $0 | UInt32($1.element) << UInt32(16 - 8 * $1.offset) }
      for place in 0..<4 {
        text.append(place <= group.count ? digits[Int(word >> UInt32(18 - 6 * place) & 63)] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// nil when the text is not base64 with padding.
  static func decoded(_ text: String) -> [UInt8]? {
    let symbols = Array(text.utf8)
    guard symbols.count % 4 == 0 else { return nil }
    let padding = symbols.suffix(2).count { $0 == UInt8(ascii: "=") }
    var bytes: [UInt8] = []
    var word: UInt32 = 0
    for (index, symbol) in symbols.enumerated() {
      let isPadding = index >= symbols.count - padding
      guard let value = isPadding ? 0 : digits.firstIndex(of: symbol) else { return nil }
      word = word << 6 | UInt32(value)
      if index % 4 == 3 {
        bytes.append(contentsOf: [UInt8(word >> 16 & 255), UInt8(word >> 8 & 255), UInt8(word & 255)])
        word = 0
      }
    }
    return bytes.dropLast(padding)
  }
}
