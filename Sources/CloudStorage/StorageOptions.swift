// What an app says once about its storage. Reading it from files and the environment is `StorageOptions+Loading.swift`.

/// The settings of an app, as the Apple SDK takes them from its `FirebaseOptions`.
///
/// ```swift
/// var options = StorageOptions(bucket: "my-app.firebasestorage.app")
/// options.tokens = MyTokens()
/// StorageApp.configure(options: options)
/// ```
public struct StorageOptions: Sendable {
  /// The name of the default bucket, without `gs://`. nil = none, so that only URLs name buckets. An empty text accepts
  /// references into any bucket.
  public var bucket: String?
  /// The app's identifier (`1:123:ios:abc`), sent as `x-firebase-gmpid`; nil = not sent.
  public var googleAppID: String?
  /// The project's web API key, for whoever builds a token provider from these options; this library does not send it.
  public var apiKey: String?
  /// The project's identifier; this library does not send it.
  public var projectID: String?
  /// ID tokens; nil = requests go out signed out.
  public var tokens: (any StorageTokenProviding)?
  /// App Check tokens; nil = none are sent.
  public var appCheck: (any StorageAppCheckProviding)?
  /// Called with a line for whoever runs the program, from any thread; by default the line goes to standard error.
  public var onWarning: @Sendable (String) -> Void

  /// Settings that are written in code.
  public init(
    bucket: String? = nil, googleAppID: String? = nil, apiKey: String? = nil, projectID: String? = nil,
    tokens: (any StorageTokenProviding)? = nil, appCheck: (any StorageAppCheckProviding)? = nil,
    onWarning: (@Sendable (String) -> Void)? = nil
  ) {
    self.bucket = bucket
    self.googleAppID = googleAppID
    self.apiKey = apiKey
    self.projectID = projectID
    self.tokens = tokens
    self.appCheck = appCheck
    self.onWarning = onWarning ?? StandardErrorLine.write
  }
}
