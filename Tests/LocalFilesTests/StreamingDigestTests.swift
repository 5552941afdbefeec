// The hash vectors of conformance group N, with the algorithms as they are used: fed in pieces, used again.

import LocalFiles
import Testing
import TransferModel

struct HashVector: CustomTestStringConvertible, Sendable {
  let name: String
  let bytes: [UInt8]
  let crc32c: UInt32
  let md5: String
  var sha256: String?

  var testDescription: String { name }

  init(_ name: String, _ bytes: some Sequence<UInt8>, _ crc32c: UInt32, _ md5: String, sha256: String? = nil) {
    self.name = name
    self.bytes = Array(bytes)
    self.crc32c = crc32c
    self.md5 = md5
    self.sha256 = sha256
  }

  static let pattern: [UInt8] = (0..<1_048_576).map { UInt8($0 % 251) }
  static let gzip: [UInt8] = [
    0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0x02, 0xff, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0x28, 0xcf, 0x2f, 0xca, 0x49, 0x01,
    0, 0x85, 0x11, 0x4a, 0x0d, 0x0b, 0, 0, 0,
  ]

  static let all: [HashVector] = [
    HashVector(
      "N01 empty", [], 0, "d41d8cd98f00b204e9800998ecf8427e",
      sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    HashVector("a", "a".utf8, 0xC1D0_4330, "0cc175b9c0f1b6a831c399e269772661"),
    HashVector(
      "abc", "abc".utf8, 0x364B_3FB7, "900150983cd24fb0d6963f7d28e17f72",
      sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    HashVector(
      "N02 123456789", "123456789".utf8, 0xE306_9283, "25f9e794323b453885f5181f1b624d0b",
      sha256: "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"),
    HashVector(
      "N03 hello world", "hello world".utf8, 0xC994_65AA, "5eb63bbbe01eeed093cb22bb8f5acdc3",
      sha256: "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"),
    HashVector("hello world, line feed", "hello world\n".utf8, 0xF0FF_7292, "6f5902ac237024bdd0c176cb93063dc4"),
    HashVector("Hello, World!", "Hello, World!".utf8, 0x4D55_1068, "65a8e27d8879283831b664bd8b7f0ad4"),
    HashVector("Hello Swift World", "Hello Swift World".utf8, 0x1993_9697, "704a57fac99e6c89dc33b5deea12cacc"),
    HashVector(
      "fox", "The quick brown fox jumps over the lazy dog".utf8, 0x2262_0404, "9e107d9d372bb6826bd81d3542a419d6"),
    HashVector(
      "N04 32 × 00", repeatElement(0, count: 32), 0x8A91_36AA, "70bc8f4b72a86921468bf8e8441dce51"),
    HashVector(
      "N04 32 × FF", repeatElement(0xFF, count: 32), 0x62A8_AB43, "0d7dc4266497100e4831f5b31b6b274f"),
    HashVector("N04 00…1F", 0...0x1F, 0x46DD_794E, "b4ffcb23737cec315a4a4d1aa2a620ce"),
    HashVector("N04 1F…00", (0...0x1F).reversed(), 0x113F_DB5C, "4d7edebd118fc48bb8c9c79213f1f476"),
    HashVector("00…FF", 0...0xFF, 0x9C44_184B, "e2c865db4162bed963bfaa9ef6ac18f0"),
    HashVector(
      "N05 1 MiB of zeros", repeatElement(0, count: 1_048_576), 0x1429_8C12, "b6d81b360a5672d80c27430f39153e2c",
      sha256: "30e14955ebf1352266dc2ff8067e68104607e750abb9d3b36582b8af909fcb58"),
    HashVector("N06 i mod 251", pattern, 0xDC3E_0071, "8f293a2f6c19b345152f7a49bb4c643c"),
    HashVector("ちかてつ🚇", "ちかてつ🚇".utf8, 0x12FC_F093, "d8212f58b22ad63601adb3a46dc67def"),
    HashVector("N10 gzip", gzip, 0x67E4_2E33, "984c6142db11d3072f9c319b34a4e5b7"),
  ]
}

@Suite("Streaming digests")
struct StreamingDigestTests {
  @Test("N01–N06, N10: every vector", arguments: HashVector.all)
  func vector(_ vector: HashVector) throws {
    let digests = try StreamingDigest.digests(of: vector.bytes, DigestAlgorithms(DigestAlgorithm.allCases))
    #expect(digests.crc32c == Digest(crc32c: vector.crc32c))
    #expect(digests.md5?.hex == vector.md5)
    if let sha256 = vector.sha256 { #expect(digests.sha256?.hex == sha256) }
    #expect(digests.sha512?.bytes.count == 64)
  }

  @Test("sha512 of abc is that of FIPS 180-4")
  func sha512() throws {
    let digests = try StreamingDigest.digests(of: "abc".utf8, [.sha512])
    #expect(
      digests.sha512?.hex == """
        ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
        2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f
        """)
  }

  @Test("N07: chunks of any size give the same digests", arguments: [1, 7, 4_096, 65_537])
  func chunks(size: Int) throws {
    let digest = try StreamingDigest([.crc32c, .md5])
    HashVector.pattern.withUnsafeBytes { bytes in
      var start = 0
      while start < bytes.count {
        let end = min(start + size, bytes.count)
        digest.update(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        start = end
      }
    }
    #expect(digest.byteCount == 1_048_576)
    let result = try digest.finish()
    #expect(result.crc32c?.hex == "dc3e0071")
    #expect(result.md5?.hex == "8f293a2f6c19b345152f7a49bb4c643c")
  }

  @Test("N08: checksums of neighbours combine without reading a byte")
  func combine() {
    #expect(CRC32C.combine(0x7E62_7E58, 0x31AA_814E, secondLength: 5) == 0xC994_65AA)
    #expect(CRC32C.combine(0xC994_65AA, 0, secondLength: 0) == 0xC994_65AA)
    #expect(CRC32C.combine(0, 0xC994_65AA, secondLength: 11) == 0xC994_65AA)
  }

  @Test("N08: any cut of a longer text combines to the whole", arguments: [0, 1, 255, 65_536, 1_048_575, 1_048_576])
  func combineCuts(cut: Int) {
    HashVector.pattern.withUnsafeBytes { bytes in
      let head = CRC32C.update(with: UnsafeRawBufferPointer(rebasing: bytes[..<cut]))
      let tail = CRC32C.update(with: UnsafeRawBufferPointer(rebasing: bytes[cut...]))
      #expect(CRC32C.combine(head, tail, secondLength: Int64(bytes.count - cut)) == 0xDC3E_0071)
    }
  }

  @Test("N09: a little-endian crc32c is another digest")
  func endianness() throws {
    let digests = try StreamingDigest.digests(of: "hello world".utf8, [.crc32c])
    let wrong = Digest(.crc32c, bytes: [0xAA, 0x65, 0x94, 0xC9])
    #expect(digests.crc32c != wrong)
    #expect(digests.crc32c.flatMap { CRC32C.value(of: $0) } == 3_381_945_770)
  }

  @Test("a snapshot does not disturb what follows, and finish begins anew")
  func reuse() throws {
    let digest = try StreamingDigest([.crc32c, .sha256])
    Array("hello ".utf8).withUnsafeBytes { digest.update($0) }
    #expect(try digest.snapshot().crc32c?.hex == "7e627e58")
    Array("world".utf8).withUnsafeBytes { digest.update($0) }
    #expect(try digest.finish().sha256?.hex.hasPrefix("b94d27b9934d3e08") == true)
    #expect(digest.byteCount == 0)
    #expect(try digest.finish().crc32c?.hex == "00000000")
  }

  @Test("what was left in the middle does not show in the next one, on any thread")
  func usedAgain() async throws {
    let wanted = try StreamingDigest.digests(of: "abc".utf8, [.md5, .sha256, .sha512])
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for round in 0..<200 {
            let left = try StreamingDigest([.sha256, .md5, .sha512])
            Array("left behind \(round)".utf8).withUnsafeBytes { left.update($0) }
            if round % 3 == 0 { _ = try left.conclude() }
            if try StreamingDigest.digests(of: "abc".utf8, [.md5, .sha256, .sha512]) != wanted { return false }
          }
          return true
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }

  @Test("without algorithms nothing is computed")
  func none() throws {
    #expect(try StreamingDigest.digests(of: "hello".utf8, []).isEmpty)
  }
}
