// One app's view of one bucket: where references come from, and the settings that all of them share.
// Making instances is `Storage+Instances.swift`.

public import Dispatch
public import Foundation
package import TransferModel

/// A bucket, or every bucket, as one app sees it.
///
/// ```swift
/// let storage = try Storage.storage()
/// let island = storage.reference().child("images/island.jpg")
/// let data = try await island.data(maxSize: 1 << 20)
/// ```
///
/// The settings may be changed at any time and from any thread; operations take them as they are when they start.
public final class Storage: Sendable {
  struct Settings {
    var maxUploadRetryTime: TimeInterval = 600
    var maxDownloadRetryTime: TimeInterval = 600
    var maxOperationRetryTime: TimeInterval = 120
    var callbackQueue: DispatchQueue
    /// nil = the real service.
    var emulator: Origin?
    /// Whether a reference was made, so that requests may be under way.
    var isInUse = false
  }

  /// The app that this instance was made for.
  public let app: StorageApp
  /// Empty when references into any bucket are accepted.
  let bucket: String
  let options: StorageOptions
  /// Shared by all instances that one app has of one bucket, one after the other.
  private let settings: Lock<Settings>
  private let givenEngine: StorageEngine?

  /// - Parameters:
  ///   - emulator: what the environment says; nil = the real service.
  ///   - engine: nil = the one that the process shares.
  package convenience init(
    app: StorageApp, bucket: String, options: StorageOptions, emulator: Origin? = nil, engine: StorageEngine? = nil
  ) {
    self.init(app: app, bucket: bucket, options: options, settings: Self.settings(emulator: emulator), engine: engine)
  }

  init(
    app: StorageApp, bucket: String, options: StorageOptions, settings: Lock<Settings>, engine: StorageEngine? = nil
  ) {
    self.app = app
    self.bucket = bucket
    self.options = options
    self.settings = settings
    givenEngine = engine
  }

  /// The settings as they are before anyone changes them.
  static func settings(emulator: Origin?) -> Lock<Settings> {
    Lock(Settings(callbackQueue: DispatchQueue(label: "CloudStorage.callbacks"), emulator: emulator))
  }

  /// Kept for source compatibility: this library uploads nothing. Seconds.
  public var maxUploadRetryTime: TimeInterval {
    get { settings.withLock { $0.maxUploadRetryTime } }
    set { settings.withLock { $0.maxUploadRetryTime = newValue } }
  }

  /// How long a download that fails in a way that may pass is tried again, in seconds since its last progress; 600 unless
  /// set. Then it ends with ``StorageError/retryLimitExceeded(serverError:)``.
  public var maxDownloadRetryTime: TimeInterval {
    get { settings.withLock { $0.maxDownloadRetryTime } }
    set { settings.withLock { $0.maxDownloadRetryTime = newValue } }
  }

  /// The same for metadata, lists and URLs, in seconds since the first request; 120 unless set.
  public var maxOperationRetryTime: TimeInterval {
    get { settings.withLock { $0.maxOperationRetryTime } }
    set { settings.withLock { $0.maxOperationRetryTime = newValue } }
  }

  /// Where completions and observers are called.
  ///
  /// Unless set, a serial queue of this instance's own: on Linux nothing serves the main queue of a program that does not
  /// call `dispatchMain()` or run a main run loop. With a concurrent queue, the order of events is not kept.
  public var callbackQueue: DispatchQueue {
    get { settings.withLock { $0.callbackQueue } }
    set { settings.withLock { $0.callbackQueue = newValue } }
  }

  /// Sends all requests of this instance to an emulator, in the clear.
  ///
  /// Wins over `FIREBASE_STORAGE_EMULATOR_HOST`. Throws ``StorageError/invalidArgument(message:)`` for a host or port that
  /// cannot be, and after the first reference was made.
  public func useEmulator(withHost host: String, port: Int) throws {
    guard !host.isEmpty else {
      throw StorageError.invalidArgument(message: "Invalid host argument: Cannot connect to empty host.")
    }
    guard port >= 0 else {
      throw StorageError.invalidArgument(
        message: "Invalid port argument: Port must be greater or equal to zero.")
    }
    let isBareIPv6 = host.utf8.filter { $0 == UInt8(ascii: ":") }.count > 1 && !host.hasPrefix("[")
    guard let url = try? HTTPURL(parsing: "http://\(isBareIPv6 ? "[\(host)]" : host):\(port)/"),
      url.userInfo == nil, url.path == "/", url.query == nil
    else {
      throw StorageError.invalidArgument(
        message: "Invalid host or port argument: \(host) and \(port) name no server; 127.0.0.1 and 9199 would.")
    }
    let isTooLate = settings.withLock { settings in
      if !settings.isInUse { settings.emulator = url.origin }
      return settings.isInUse
    }
    guard !isTooLate else {
      throw StorageError.invalidArgument(
        message: """
          Cannot connect to emulator after Storage SDK initialization. Call useEmulator(host:port:) before creating a \
          Storage reference or trying to load data.
          """)
    }
  }
}

// MARK: - References

extension Storage {
  /// The root of the bucket.
  public func reference() -> StorageReference { reference(to: StoragePath(bucket: bucket)) }

  /// The object or folder at that path. Runs of `/` count as one, and those at the ends do not count.
  public func reference(withPath path: String) -> StorageReference { reference().child(path) }

  /// The object or folder that a `gs://`, `http://` or `https://` URL names.
  ///
  /// Throws ``StorageError/pathError(message:)`` when it names none, ``StorageError/bucketMismatch(message:)`` when it is
  /// in another bucket than this instance's.
  public func reference(forURL url: String) throws -> StorageReference {
    reference(to: try Self.path(parsing: url, expecting: bucket))
  }

  /// As ``reference(forURL:)``.
  public func reference(for url: URL) throws -> StorageReference { try reference(forURL: url.absoluteString) }

  private func reference(to path: StoragePath) -> StorageReference {
    settings.withLock { $0.isInUse = true }
    return StorageReference(storage: self, path: path)
  }

  /// - Parameter expected: empty = any bucket will do.
  static func path(parsing url: String, expecting expected: String = "") throws(StorageError) -> StoragePath {
    let path: StoragePath
    do {
      path = StoragePath(try StorageAddress(parsing: url))
    } catch {
      throw .pathError(message: "Internal error: \(error.message)")
    }
    guard expected.isEmpty || path.bucket.utf8.elementsEqual(expected.utf8) else {
      throw .bucketMismatch(
        message:
          "Provided bucket: `\(path.bucket)` does not match the Storage bucket of the current instance: `\(expected)`")
    }
    return path
  }
}

// MARK: - Requests

extension Storage {
  /// Which of the retry times governs an operation.
  package enum OperationKind: Sendable {
    case download
    case metadata
  }

  /// Starts an operation with the settings as they are now. Throws `internalError` when the transport cannot be had.
  package func operation(_ kind: OperationKind, at path: StoragePath) throws(StorageError) -> StorageOperation {
    let engine: StorageEngine
    do {
      engine = try givenEngine ?? StorageEngine.shared.get()
    } catch {
      throw .internalError(message: "\(error)")
    }
    let now = settings.withLock { $0 }
    let limit = kind == .download ? now.maxDownloadRetryTime : now.maxOperationRetryTime
    return StorageOperation(
      path: path, origin: now.emulator, options: options, retryTime: limit, engine: engine)
  }
}

extension Storage: Hashable {
  /// Equal when app and bucket are.
  public static func == (left: Storage, right: Storage) -> Bool {
    left.app === right.app && left.bucket.utf8.elementsEqual(right.bucket.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(app))
    hasher.combine(ObjectName(bucket))
  }
}
