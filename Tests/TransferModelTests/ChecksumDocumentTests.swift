// Checksum files in all common styles: case P80.

import Testing
import TransferModel

private let one = String(repeating: "1a", count: 32)
private let two = String(repeating: "2b", count: 32)

private func digest(_ document: String, _ name: String, _ algorithm: DigestAlgorithm = .sha256) throws -> String {
  try ChecksumDocument(parsing: document, algorithm: algorithm).digest(for: name).hex
}

@Suite("Checksum files")
struct ChecksumDocumentTests {
  @Test(
    "P80: every style gives the file's own checksum",
    arguments: [
      "\(two)  other.tgz\n\(one)  x.tgz\n", "\(two) *other.tgz\n\(one) *x.tgz\n",
      "\(two)  other.tgz\r\n\(one)  x.tgz\r\n",
      "\(two.uppercased())  other.tgz\n\(one.uppercased())  x.tgz",
      "SHA256 (other.tgz) = \(two)\nSHA256 (x.tgz) = \(one)\n",
      "SHA2-256(x.tgz)= \(one)\n", "SHA256(x.tgz)= \(one.uppercased())\r\n", "\(one)\n", "  \(one.uppercased())\r\n",
      "\u{FEFF}\(one)  x.tgz\n", "# made today\n\n\(one)  ./x.tgz\n", "\(one)  dist/x.tgz\n\(two)  dist/other.tgz\n",
      "\(one) x.tgz\n", "\(one)\tx.tgz\n", "\(one)  -\n",
      "-----BEGIN PGP SIGNED MESSAGE-----\n\n\(one)  x.tgz\n-----END-----\n",
      "\(two)  sub/x.tgz\n\(one)  x.tgz\n", "\(one)  x.tgz\n\(one)  x.tgz\n",
    ])
  func styles(document: String) throws {
    #expect(try digest(document, "x.tgz") == one)
  }

  @Test("names with blanks, brackets and escapes")
  func names() throws {
    #expect(try digest("\(one)  a b (1).tgz\n", "a b (1).tgz") == one)
    #expect(try digest("SHA256 (a (1).tgz) = \(one)\n", "a (1).tgz") == one)
    #expect(try digest("\\\(one)  a\\nb\\\\c\n", "a\nb\\c") == one)
  }

  @Test("other algorithms are read by their own length")
  func algorithms() throws {
    let md5 = String(repeating: "0c", count: 16)
    #expect(try digest("\(md5)  x\n\(one)  x\n", "x", .md5) == md5)
    #expect(try digest("MD5 (x) = \(md5)\nSHA256 (x) = \(one)\n", "x", .md5) == md5)
    #expect(try digest("MD5 (x) = \(md5)\nSHA256 (x) = \(one)\n", "x") == one)
  }

  @Test(
    "a document that has not the file's checksum says why",
    arguments: [
      ("", ChecksumDocument.Violation.noChecksums), ("<html>login</html>", .noChecksums),
      ("\(one.dropLast())  x.tgz\n", .noChecksums),
      ("\(one)  other.tgz\n", .notListed), ("\(one)\n\(two)\n", .notListed), ("\(one)  X.tgz\n", .notListed),
      ("\(one)  x.tgz\n\(two)  x.tgz\n", .contradiction), ("\(one)  a/x.tgz\n\(two)  b/x.tgz\n", .contradiction),
    ])
  func violations(document: String, violation: ChecksumDocument.Violation) {
    #expect(throws: violation) { try digest(document, "x.tgz") }
  }
}
