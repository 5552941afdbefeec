// The snippets of examples/cloud-storage, run as they are: `Examples` holds links to those files.

import CloudStorage
import Foundation
import StorageEmulator
import Testing

@Suite("Examples")
struct ExampleTests {
  private static func storage(_ emulator: StorageEmulator) throws -> Storage {
    let storage = try Storage.storage(
      app: StorageApp(name: "example", options: StorageOptions(bucket: "my-app")))
    try storage.useEmulator(withHost: "127.0.0.1", port: Int(emulator.port))
    return storage
  }

  private static func emulator() throws -> StorageEmulator {
    let emulator = try StorageEmulator()
    for name in ["images/stars.jpg", "images/notes.txt", "images/old/moon.jpg"] {
      emulator.objects.put(
        "my-app", name, Array("stars".utf8), .init(contentType: "text/plain", cacheControl: "no-store"))
    }
    return emulator
  }

  @Test("D1 D2 D3 D4: one object by four ways")
  func references() throws {
    let storage = try Storage.storage(app: StorageApp(name: "example", options: StorageOptions(bucket: "my-app")))
    #expect(try Set(referencesToStars(in: storage)).count == 1)
    #expect(
      describe(try referenceAnywhere("gs://my-app/images/stars.jpg")) == """
        bucket: my-app
        path:   images/stars.jpg
        name:   stars.jpg
        folder: gs://my-app/images
        root:   gs://my-app/
        """)
  }

  @Test("metadata is read and changed")
  func metadata() async throws {
    let emulator = try Self.emulator()
    let stars = try Self.storage(emulator).reference(withPath: "images/stars.jpg")
    #expect(try await describeMetadata(of: stars).hasPrefix("5 bytes of text/plain, generation "))
    let changed = try await describeAsPhoto(stars)
    #expect(changed.contentType == "image/jpeg" && changed.cacheControl == nil)
    #expect(changed.customMetadata == ["album": "stars"])
    let bytes: Int64? = await withCheckedContinuation { continuation in
      size(of: stars) { continuation.resume(returning: $0) }
    }
    #expect(bytes == 5)
  }

  @Test("folders are listed")
  func lists() async throws {
    let emulator = try Self.emulator()
    let images = try Self.storage(emulator).reference(withPath: "images")
    #expect(try await namesBeside(images.child("stars.jpg")) == ["old/", "notes.txt", "stars.jpg"])
    #expect(try await firstImage(in: images)?.name == "stars.jpg")
    #expect(try await countObjects(in: images) == 2)
  }

  @Test("D8 D17: a link, and what is said when there is none")
  func links() async throws {
    let emulator = try Self.emulator()
    let images = try Self.storage(emulator).reference(withPath: "images")
    #expect(try await images.child("stars.jpg").downloadURL().path.hasSuffix("images/stars.jpg"))
    let missing = try await storageError { try await images.child("none").downloadURL() }
    #expect(explain(missing) == "There is no such object.")
    try emulator.play("on my-app/** => status 409 body text odd")
    let odd = try await storageError { try await images.child("stars.jpg").downloadURL() }
    #expect(explain(odd) == "The server said: odd")
  }
}
