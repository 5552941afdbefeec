// Is this text at all? Encoding, size and characters are checked before YAML is read, so that what is wrong is said in
// plain words with its place.

import MirrorPlan

enum ManifestText {
  /// The largest manifest, in bytes.
  static let maximumBytes = 64 << 20
  private static let maximumFindings = 20

  /// Where the text begins, behind a byte order mark.
  static func start(of bytes: [UInt8]) -> Int { bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

  /// What keeps the bytes from being read as YAML; empty when nothing does.
  static func problems(of bytes: [UInt8]) -> [Diagnostic] {
    guard bytes.count <= maximumBytes else {
      return [
        Diagnostic(
          at: SourceMark(line: 1, column: 1),
          "the manifest has \(bytes.count) bytes; the most is \(maximumBytes) (\(maximumBytes >> 20) MiB)",
          hint: "split it; whole folders are shorter as `trees:`")
      ]
    }
    if let encoding = foreignEncoding(bytes) {
      return [
        Diagnostic(
          at: SourceMark(line: 1, column: 1), "the manifest is \(encoding), not UTF-8", hint: "save it as UTF-8")
      ]
    }
    let offences = bytes.withUnsafeBufferPointer { Self.offences(in: $0, from: start(of: bytes)) }
    guard !offences.isEmpty else { return [] }
    let source = SourceText(bytes)
    return offences.map { offence in
      Diagnostic(at: source.mark(ofByte: offence.offset), offence.message, hint: offence.hint)
    }
  }

  private struct Offence {
    var offset: Int
    var message: String
    var hint: String?
  }

  /// UTF-16 and UTF-32 by their byte order marks, or by the NUL that stands beside an ASCII character.
  private static func foreignEncoding(_ bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return "UTF-32" }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return "UTF-16" }
    guard bytes.count >= 4 else { return nil }
    if bytes[0] == 0, bytes[1] != 0, bytes[2] == 0, bytes[3] != 0 { return "UTF-16" }
    if bytes[0] != 0, bytes[1] == 0, bytes[2] != 0, bytes[3] == 0 { return "UTF-16" }
    return nil
  }

  private static func offences(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> [Offence] {
    var found: [Offence] = []
    var index = start
    while index < bytes.count, found.count < maximumFindings {
      index += printableBytes(bytes, index)
      guard index < bytes.count else { break }
      let byte = bytes[index]
      if byte >= 0x20 && byte < 0x7F || byte == 0x0A || byte == 0x0D || byte == 0x09 {
        index += 1
        continue
      }
      guard let (scalar, length) = scalar(at: index, in: bytes) else {
        found.append(
          Offence(offset: index, message: "this is not UTF-8 (byte 0x\(hex(byte)))", hint: "save the file as UTF-8"))
        index += 1
        continue
      }
      if !isAllowed(scalar) {
        let name = scalar == 0 ? "a NUL character" : "the control character U+\(hex4(scalar))"
        found.append(
          Offence(
            offset: index, message: "\(name) in the manifest",
            hint:
              "remove it; in a \"…\" text it can be written as an escape (\\x\(hex(UInt8(truncatingIfNeeded: scalar))))"
          ))
      }
      index += length
    }
    return found
  }

  /// How many bytes from here on are ASCII that can be printed, in steps of eight bytes.
  private static func printableBytes(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int {
    let raw = UnsafeRawBufferPointer(bytes)
    var index = start
    while index + 8 <= bytes.count {
      let eight = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      // The top bit of a byte is set in one of these when it is less than 0x20, or 0x7F, or more.
      let tests = (eight &- 0x2020_2020_2020_2020) | (eight &+ 0x0101_0101_0101_0101) | eight
      guard tests & 0x8080_8080_8080_8080 == 0 else { break }
      index += 8
    }
    return index - start
  }

  /// YAML's printable characters (YAML 1.1 section 4.1.1), as libyaml has them.
  private static func isAllowed(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x85, 0xA0...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
    default: false
    }
  }

  /// Strict UTF-8 (RFC 3629): no overlong form, no surrogate, nothing beyond U+10FFFF.
  private static func scalar(at index: Int, in bytes: UnsafeBufferPointer<UInt8>) -> (value: UInt32, length: Int)? {
    let first = UInt32(bytes[index])
    let length: Int
    var value: UInt32
    switch first {
    case 0...0x7F: return (first, 1)
    case 0xC2...0xDF: (length, value) = (2, first & 0x1F)
    case 0xE0...0xEF: (length, value) = (3, first & 0x0F)
    case 0xF0...0xF4: (length, value) = (4, first & 0x07)
    default: return nil
    }
    guard index + length <= bytes.count else { return nil }
    for next in bytes[(index + 1)..<(index + length)] {
      guard next & 0xC0 == 0x80 else { return nil }
      value = value << 6 | UInt32(next & 0x3F)
    }
    let least: [UInt32] = [0, 0, 0x80, 0x800, 0x10000]
    guard value >= least[length], value <= 0x10FFFF, !(0xD800...0xDFFF).contains(value) else { return nil }
    return (value, length)
  }

  private static func hex(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.utf8.count < 2 ? "0" + digits : digits
  }

  private static func hex4(_ scalar: UInt32) -> String {
    let digits = String(scalar, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
  }
}
