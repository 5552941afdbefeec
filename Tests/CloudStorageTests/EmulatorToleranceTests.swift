// Habits of Firebase's emulator that must not matter. Conformance group U, as far as no bytes are fetched.

import CloudStorage
import Foundation
import StorageEmulator
import Testing

@Suite("Tolerance of the emulator")
struct EmulatorToleranceTests {
  private static func emulator() throws -> StorageEmulator {
    let emulator = try StorageEmulator(EmulatorConfiguration(quirks: .emulator))
    emulator.objects.makeBucket(testBucket)
    emulator.objects.put(testBucket, "a", text: "hello")
    return emulator
  }

  @Test("U01 U02 U08: decimal checksums, short generations and bare ETags are read")
  func metadata() async throws {
    let emulator = try Self.emulator()
    let metadata = try await Storage.at(emulator).reference(withPath: "a").getMetadata()
    #expect(metadata.crc32c == "2591144780")
    #expect(metadata.generation > 1_000_000_000_000 && metadata.generation < 10_000_000_000_000)
    #expect(metadata.etag?.isEmpty == false && metadata.size == 5)
  }

  @Test("U03: a 404 in plain text is a 404")
  func plainText() async throws {
    let emulator = try Self.emulator()
    let missing = Storage.at(emulator).reference(withPath: "none")
    let error = try await storageError { try await missing.getMetadata() }
    #expect(error.code == .objectNotFound)
    #expect((error as NSError).userInfo["ResponseBody"] as? String == "Not Found")
  }

  @Test("U09: what the emulator says about its rules is shown")
  func noRules() async throws {
    let emulator = try Self.emulator()
    let words = "Permission denied. Storage Emulator has no loaded ruleset."
    try emulator.play(#"on bucket/** => status 403 body text "\#(words)""#)
    let reference = Storage.at(emulator).reference(withPath: "a")
    let error = try await storageError { try await reference.getMetadata() }
    #expect(error.code == .unauthorized && "\(error)".contains(words))
  }

  @Test("U13: what is not implemented is asked for once")
  func notImplemented() async throws {
    let emulator = try Self.emulator()
    try emulator.play("on bucket/** => status 501")
    let reference = Storage.at(emulator).reference(withPath: "a")
    #expect(try await storageError { try await reference.getMetadata() }.code == .unknown)
    #expect(emulator.log.count == 1)
  }

  @Test("M12: folders on every page are given once")
  func repeatedFolders() async throws {
    let emulator = try Self.emulator()
    for name in ["d/x", "e/x", "f", "g", "h"] { emulator.objects.put(testBucket, name, text: "x") }
    let root = Storage.at(emulator).reference()
    let list = try await root.listAll()
    #expect(list.prefixes.map(\.fullPath) == ["d", "e"] && list.items.map(\.fullPath) == ["a", "f", "g", "h"])
    var folders = 0
    for try await page in root.pages(maxResults: 3) { folders += page.prefixes.count }
    #expect(folders > 2)
  }
}
