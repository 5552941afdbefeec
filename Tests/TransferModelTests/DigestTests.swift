// Checksums: how people write them, how servers send them, how they compare. Vectors: conformance groups N and O.

import Testing
import TransferModel

private let helloHex = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"
private let helloBase64 = "uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek="

@Suite("Reading checksums")
struct DigestParsingTests {
  @Test(
    "P80: hexadecimal in any case, with blanks, a prefix, or as base64",
    arguments: [
      helloHex, helloHex.uppercased(), "  \(helloHex)\r\n", "sha256:\(helloHex)", "SHA256:\(helloHex.uppercased())",
      "sha256=\(helloHex)", "sha256: \(helloHex)", helloBase64, "sha256-\(helloBase64)", "sha256:\(helloBase64)",
    ])
  func spellings(text: String) throws {
    let digest = try Digest(parsing: text, as: .sha256)
    #expect(digest.hex == helloHex)
    #expect(digest.algorithm == .sha256)
  }

  @Test(
    "P80: a wrong length or alphabet is a mistake in the text",
    arguments: [
      ("", "empty"), ("abc", "64 hexadecimal digits; this has 3"),
      ("5eb63bbbe01eeed093cb22bb8f5acdc3", "the length of a md5 checksum"),
      ("md5:5eb63bbbe01eeed093cb22bb8f5acdc3", "a md5 checksum where a sha256 checksum is expected"),
      (String(helloHex.dropLast()) + "g", "neither"), (String(helloBase64.dropLast()), "neither"),
      (helloBase64.lowercased() + "=", "neither"), (helloHex + "00", "this has 66"),
    ])
  func refused(text: String, mentions: String) {
    let violation = #expect(throws: Digest.Violation.self) { try Digest(parsing: text, as: .sha256) }
    #expect(violation?.message.contains(mentions) == true, "\(violation?.message ?? "")")
  }

  @Test("P80: base64 keeps its case")
  func base64Case() throws {
    #expect(try Digest(parsing: helloBase64, as: .sha256).hex == helloHex)
    let other = try? Digest(parsing: helloBase64.uppercased(), as: .sha256)
    #expect(other?.hex != helloHex)
  }

  @Test(
    "a checksum may name its algorithm itself",
    arguments: [
      ("crc32c:c99465aa", DigestAlgorithm.crc32c, "c99465aa"), ("crc32c:yZRlqg==", .crc32c, "c99465aa"),
      ("md5-XrY7u+Ae7tCTyyK7j1rNww==", .md5, "5eb63bbbe01eeed093cb22bb8f5acdc3"),
      ("SHA256=" + helloHex, .sha256, helloHex),
      ("sha512:" + String(repeating: "0f", count: 64), .sha512, String(repeating: "0f", count: 64)),
    ])
  func prefixed(text: String, algorithm: DigestAlgorithm, hex: String) throws {
    let digest = try Digest(parsingPrefixed: text)
    #expect(digest.algorithm == algorithm)
    #expect(digest.hex == hex)
    #expect(try Digest(parsingPrefixed: digest.description) == digest)
  }

  @Test("without a name, or with an unknown one, it is refused", arguments: [helloHex, "sha1:00", "sha256", ""])
  func unprefixed(text: String) {
    #expect(throws: Digest.Violation.self) { try Digest(parsingPrefixed: text) }
  }
}

@Suite("Base64")
struct Base64Tests {
  @Test(
    "RFC 4648 section 10",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
      ("foobar", "Zm9vYmFy"),
    ])
  func vectors(plain: String, encoded: String) {
    #expect(Base64.encode(plain.utf8) == encoded)
    #expect(Base64.decode(encoded) == Array(plain.utf8))
  }

  @Test(
    "is refused", arguments: ["Z", "Zg", "Zg=", "Zg===", "=", "====", "Z===", "Zm9v\n", "Zm-v", "Zh==", "Zm9=", "!!!"])
  func refused(text: String) {
    #expect(Base64.decode(text) == nil)
  }

  @Test("random bytes come back")
  func roundTrip() {
    var random = SplitMix(seed: 64)
    for _ in 0..<500 {
      let bytes = random.bytes(upTo: 70)
      #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    }
  }
}

@Suite("Checksums in x-goog-hash")
struct GoogHashTests {
  private let crc = Digest(crc32c: 0xC994_65AA)

  @Test(
    "both are read, padding kept",
    arguments: [
      ("O01", ["crc32c=yZRlqg==,md5=XrY7u+Ae7tCTyyK7j1rNww=="]),
      ("O02", ["crc32c=yZRlqg==, md5=XrY7u+Ae7tCTyyK7j1rNww=="]),
      ("O03", ["crc32c=yZRlqg==", "md5=XrY7u+Ae7tCTyyK7j1rNww=="]),
      ("O07", ["CRC32C=yZRlqg==, , Md5=XrY7u+Ae7tCTyyK7j1rNww=="]),
      ("the same twice", ["crc32c=yZRlqg==", "crc32c=yZRlqg==,md5=XrY7u+Ae7tCTyyK7j1rNww=="]),
    ])
  func both(id: String, lines: [String]) throws {
    let reading = try GoogHash.read(lines)
    #expect(reading.digests.crc32c == crc)
    #expect(reading.digests.md5?.hex == "5eb63bbbe01eeed093cb22bb8f5acdc3")
    #expect(reading.warnings.isEmpty)
  }

  @Test(
    "O04 O06: one alone, and beside an unknown algorithm", arguments: ["crc32c=yZRlqg==", "sha9=xx,crc32c=yZRlqg=="])
  func one(line: String) throws {
    #expect(try GoogHash.read([line]) == GoogHash.Reading(digests: DigestSet([crc])))
  }

  @Test("O05: two different values of one algorithm are a contradiction")
  func contradiction() {
    let error = #expect(throws: GoogHash.Contradiction.self) {
      try GoogHash.read(["crc32c=yZRlqg==", "crc32c=AAAAAA=="])
    }
    #expect(error?.algorithm == .crc32c)
  }

  @Test(
    "N14: an unreadable value counts as absent, with a warning",
    arguments: ["AAAA", "!!!", "", "yZRlqg", "99999999999"])
  func unreadable(value: String) throws {
    let reading = try GoogHash.read(["crc32c=\(value),md5=XrY7u+Ae7tCTyyK7j1rNww=="])
    #expect(reading.digests.crc32c == nil)
    #expect(reading.digests.md5 != nil)
    #expect(reading.warnings.count == 1)
  }

  @Test("N15 U01: the emulator's decimal crc is the same number")
  func decimal() {
    #expect(GoogHash.digest(.crc32c, "3381945770") == crc)
    #expect(GoogHash.digest(.crc32c, "0") == Digest(crc32c: 0))
    #expect(GoogHash.digest(.crc32c, "4294967296") == nil)
    #expect(GoogHash.digest(.md5, "3381945770") == nil)
  }

  @Test(
    "N01–N06 N08 N10: base64 of a crc is its bytes in big-endian order",
    arguments: [
      ("AAAAAA==", 0x0000_0000 as UInt32), ("4waSgw==", 0xE306_9283), ("yZRlqg==", 0xC994_65AA),
      ("ipE2qg==", 0x8A91_36AA),
      ("FCmMEg==", 0x1429_8C12), ("3D4AcQ==", 0xDC3E_0071), ("fmJ+WA==", 0x7E62_7E58), ("Z+QuMw==", 0x67E4_2E33),
    ])
  func vectors(base64: String, value: UInt32) {
    #expect(GoogHash.digest(.crc32c, base64) == Digest(crc32c: value))
    #expect(Base64.encode(Digest(crc32c: value).bytes) == base64)
  }

  @Test("N09: a little-endian crc is another value")
  func littleEndian() {
    #expect(GoogHash.digest(.crc32c, "qmWUyQ==") != crc)
  }
}

@Suite("Checksum sets")
struct DigestSetTests {
  private let crc = Digest(crc32c: 1)
  private let otherCRC = Digest(crc32c: 2)
  private let md5 = Digest(.md5, bytes: [UInt8](repeating: 1, count: 16))
  private let sha = Digest(.sha256, bytes: [UInt8](repeating: 1, count: 32))

  @Test("a digest has its algorithm's length or is none")
  func lengths() {
    for algorithm in DigestAlgorithm.allCases {
      #expect(Digest(algorithm, bytes: [UInt8](repeating: 0, count: algorithm.byteCount)) != nil)
      #expect(Digest(algorithm, bytes: [UInt8](repeating: 0, count: algorithm.byteCount + 1)) == nil)
    }
  }

  @Test("comparison: any shared difference decides, else the strongest shared one is named")
  func comparison() {
    func set(_ digests: Digest?...) -> DigestSet { DigestSet(digests.compactMap { $0 }) }
    #expect(set(crc, md5).compare(with: set(crc, md5)) == .equal(by: .md5))
    #expect(set(crc, md5, sha).compare(with: set(crc, sha)) == .equal(by: .sha256))
    #expect(set(crc).compare(with: set(otherCRC)) == .different(in: .crc32c))
    #expect(set(crc, sha).compare(with: set(otherCRC, sha)) == .different(in: .crc32c))
    #expect(set(crc).compare(with: set(md5)) == .incomparable)
    #expect(set().compare(with: set()) == .incomparable)
    #expect(set(crc, md5).all.map(\.algorithm) == [.crc32c, .md5])
    #expect(set().isEmpty && !set(crc).isEmpty)
  }
}
