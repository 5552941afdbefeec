// Where Firebase's own emulator differs from the service, for clients that must bear with both.

import TransferModel

/// Whose habits the server has.
package enum Quirks: String, Sendable, CaseIterable {
  /// The service's.
  case production
  /// Firebase's emulator: decimal crc32c in `/v0`, generations in milliseconds, no stored-content headers, a misspelt
  /// metageneration header, an entity tag without quotes, empty header fields, no conditions, no 416, `Not Found` as
  /// text, all prefixes on every page.
  case emulator

  var isEmulator: Bool { self == .emulator }

  func generation(_ microseconds: Int64) -> Int64 { isEmulator ? microseconds / 1_000 : microseconds }

  func crc32c(_ digest: Digest) -> String {
    guard isEmulator else { return Base64.encode(digest.bytes) }
    return String(digest.bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
  }
}
