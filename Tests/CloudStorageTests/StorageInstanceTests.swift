// Where storages come from: apps, options, emulators.

import CloudStorage
import Foundation
import StorageEmulator
import TestSupport
import Testing

private func app(_ bucket: String?) -> StorageApp {
  StorageApp(name: "test", options: StorageOptions(bucket: bucket))
}

@Suite("Instances")
struct StorageInstanceTests {
  @Test("K7: the same app and bucket give the same instance, others another")
  func identity() throws {
    let app = app("bucket")
    let storage = try Storage.storage(app: app)
    #expect(try Storage.storage(app: app, url: "gs://bucket/") === storage)
    #expect(try Storage.storage(app: app, url: "gs://other") !== storage)
    let same = StorageApp(name: "test", options: StorageOptions(bucket: "bucket"))
    #expect(try Storage.storage(app: same) !== storage)
    #expect(try Storage.storage(app: same) != storage)
  }

  @Test("settings outlast an instance that nobody holds")
  func settingsStay() throws {
    let app = app("bucket")
    try Storage.storage(app: app).maxDownloadRetryTime = 5
    #expect(try Storage.storage(app: app).maxDownloadRetryTime == 5)
    #expect(try Storage.storage(app: app, url: "gs://other").maxDownloadRetryTime == 600)
  }

  @Test("an app that nobody holds goes, and its instances with it")
  func goes() throws {
    weak var app: StorageApp?
    weak var storage: Storage?
    do {
      let held = StorageApp(name: "test", options: StorageOptions(bucket: "bucket"))
      (app, storage) = (held, try Storage.storage(app: held))
      _ = try Storage.storage(app: held).reference()
    }
    #expect(app == nil)
    #expect(storage == nil)
  }

  @Test("the defaults are the SDK's")
  func defaults() throws {
    let storage = try Storage.storage(app: app("bucket"))
    #expect(storage.maxUploadRetryTime == 600)
    #expect(storage.maxDownloadRetryTime == 600)
    #expect(storage.maxOperationRetryTime == 120)
    storage.maxDownloadRetryTime = 5
    #expect(storage.maxDownloadRetryTime == 5 && storage.maxOperationRetryTime == 120)
  }

  @Test("a bucket may be written with its scheme", arguments: ["b-1", "gs://b-1", "gs://b-1/"])
  func bucketForms(text: String) throws {
    #expect(try Storage.storage(app: app(text)).reference().bucket == "b-1")
  }

  @Test(
    "B29: an instance is made for a bucket, not for an object", arguments: ["gs://bucket/child", "gs://bucket//a/"])
  func noPath(url: String) throws {
    let error = try storageError { try Storage.storage(app: app(nil), url: url) }
    #expect(
      error == .pathError(message: "Internal Error: Storage bucket cannot be initialized with a path"))
  }

  @Test("B30: without a bucket there is no default instance, but there are others")
  func noBucket() throws {
    let error = try storageError { try Storage.storage(app: app(nil)) }
    #expect(
      error
        == .invalidArgument(
          message: "No default Storage bucket found. Did you configure Firebase Storage properly?"))
    #expect(try Storage.storage(app: app(nil), url: "gs://bucket").reference().bucket == "bucket")
  }

  @Test("an app that was configured is found by its name")
  func configured() throws {
    #expect(StorageApp.app(name: "never") == nil)
    StorageApp.configure(name: "configured", options: StorageOptions(bucket: "named"))
    let app = try #require(StorageApp.app(name: "configured"))
    #expect(app.name == "configured")
    #expect(try Storage.storage(app: app).reference().bucket == "named")
  }

  @Test(
    "U11: an emulator has a host and a port",
    arguments: [
      ("", 1, "Invalid host argument: Cannot connect to empty host."),
      ("h", -1, "Invalid port argument: Port must be greater or equal to zero."),
      ("h", 70_000, "Invalid host or port argument: h and 70000 name no server; 127.0.0.1 and 9199 would."),
      ("h/x", 1, "Invalid host or port argument: h/x and 1 name no server; 127.0.0.1 and 9199 would."),
    ])
  func badEmulator(host: String, port: Int, message: String) throws {
    let storage = try Storage.storage(app: app("bucket"))
    #expect(
      try storageError { try storage.useEmulator(withHost: host, port: port) } == .invalidArgument(message: message))
  }

  @Test("U12: an emulator is chosen before the first reference")
  func lateEmulator() throws {
    let storage = try Storage.storage(app: app("bucket"))
    try storage.useEmulator(withHost: "127.0.0.1", port: 9199)
    try storage.useEmulator(withHost: "::1", port: 9199)
    _ = storage.reference()
    let error = try storageError { try storage.useEmulator(withHost: "127.0.0.1", port: 9199) }
    #expect(error.code == .invalidArgument)
    #expect(error.localizedDescription.hasPrefix("Cannot connect to emulator after Storage SDK initialization."))
  }

  @Test("E14 L06: requests go to the emulator that was chosen, each instance to its own")
  func ownEmulator() async throws {
    let emulator = try StorageEmulator()
    emulator.objects.put("bucket", "a", text: "hello")
    let storage = try Storage.storage(app: app("bucket"))
    try storage.useEmulator(withHost: "127.0.0.1", port: Int(emulator.port))
    #expect(try await storage.reference(withPath: "a").getMetadata().size == 5)
    #expect(emulator.log.map(\.target) == ["/v0/b/bucket/o/a"])
  }
}
