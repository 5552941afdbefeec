// Finds or makes the one instance for an app and a bucket.

import Foundation
import StorageCore
import TransferModel

extension Storage {
  /// The default bucket of the default app.
  ///
  /// Throws ``StorageError/invalidArgument(message:)`` when there is none, or when the settings cannot be read. The same
  /// app and bucket give the same instance as long as it is held, and the same settings always.
  public static func storage() throws -> Storage { try storage(app: StorageApp.defaultApp()) }

  /// The default bucket of that app.
  public static func storage(app: StorageApp) throws -> Storage {
    guard let bucket = try app.options.bucket else {
      throw StorageError.invalidArgument(
        message: "No default Storage bucket found. Did you configure Firebase Storage properly?")
    }
    guard !bucket.isEmpty else { return try instance(of: app, bucket: "") }
    return try storage(app: app, url: bucket.hasPrefix("gs://") ? bucket : "gs://\(bucket)/")
  }

  /// The bucket that `gs://BUCKET` names, for the default app.
  public static func storage(url: String) throws -> Storage {
    try storage(app: StorageApp.defaultApp(), url: url)
  }

  /// The bucket that `gs://BUCKET` names, for that app.
  ///
  /// Throws ``StorageError/pathError(message:)`` when the URL names no bucket, or an object in it.
  public static func storage(app: StorageApp, url: String) throws -> Storage {
    let path = try path(parsing: url)
    guard path.object == nil else {
      throw StorageError.pathError(message: "Internal Error: Storage bucket cannot be initialized with a path")
    }
    return try instance(of: app, bucket: path.bucket)
  }

  private static func instance(of app: StorageApp, bucket: String) throws -> Storage {
    let options = try app.options
    let environment = ProcessInfo.processInfo.environment
    let emulator: Origin?
    do {
      emulator = try StorageEnvironment { environment[$0] }.emulator
    } catch {
      throw StorageError.invalidArgument(message: error.message)
    }
    let name = ObjectName(bucket)
    return app.buckets.withLock { buckets in
      if let storage = buckets[name]?.instance { return storage }
      let settings = buckets[name]?.settings ?? Self.settings(emulator: emulator)
      let storage = Storage(app: app, bucket: bucket, options: options, settings: settings)
      buckets[name] = StorageApp.Bucket(settings: settings, instance: storage)
      return storage
    }
  }
}
