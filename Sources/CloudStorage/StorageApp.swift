// The app that a `Storage` belongs to, since there is no FirebaseCore here.

import Foundation
import TransferModel

/// A name and the settings that go with it.
///
/// A program with one app configures it once, or not at all: then the settings are looked for where
/// ``StorageOptions/discovered()`` looks.
///
/// ```swift
/// StorageApp.configure(options: StorageOptions(bucket: "my-app.firebasestorage.app"))
/// let storage = try Storage.storage()
/// ```
public final class StorageApp: Sendable {
  /// The name of the default app.
  public static let defaultName = "__FIRAPP_DEFAULT"

  /// What apps are told apart by.
  public let name: String
  let settings: Result<StorageOptions, StorageError>
  /// Keeps the settings of each bucket as long as the app lives, its instance as long as someone else holds it: an
  /// instance holds its app, and two that hold each other would never go.
  struct Bucket: Sendable {
    let settings: Lock<Storage.Settings>
    weak var instance: Storage?
  }
  let buckets = Lock<[ObjectName: Bucket]>([:])

  /// An app of its own, known to nobody but its owner: for libraries and tests.
  public init(name: String, options: StorageOptions) {
    self.name = name
    settings = .success(options)
  }

  private init(discovering name: String) {
    self.name = name
    settings = Result { () throws(StorageError) in
      do {
        return try StorageOptions.discovered()
      } catch {
        throw error as? StorageError ?? .invalidArgument(message: "\(error)")
      }
    }
  }

  /// The app's settings. Throws what was found wrong with those that were discovered.
  public var options: StorageOptions {
    get throws { try settings.get() }
  }
}

extension StorageApp {
  private static let registry = Lock<[String: StorageApp]>([:])

  /// Makes the default app from discovered settings; a fault in them is thrown by `Storage.storage()`.
  public static func configure() { register(StorageApp(discovering: defaultName)) }

  /// Makes the default app, or the one of that name, with these settings. An app of the same name that was there before
  /// keeps its settings for those who hold it.
  public static func configure(name: String = StorageApp.defaultName, options: StorageOptions) {
    register(StorageApp(name: name, options: options))
  }

  /// The default app; nil before it was configured.
  public static func app() -> StorageApp? { app(name: defaultName) }

  /// The app that was configured under that name.
  public static func app(name: String) -> StorageApp? { registry.withLock { $0[name] } }

  /// The default app, discovered on first use if it was never configured.
  static func defaultApp() -> StorageApp {
    if let app = app() { return app }
    let discovered = StorageApp(discovering: defaultName)
    return registry.withLock { apps in
      if let app = apps[defaultName] { return app }
      apps[defaultName] = discovered
      return discovered
    }
  }

  private static func register(_ app: StorageApp) { registry.withLock { $0[app.name] = app } }
}
