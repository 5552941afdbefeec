// The numbers of the errors, as code that switches over `(error as NSError).code` knows them.

/// The domain of every error of this library, as `(error as NSError).domain` gives it.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let StorageErrorDomain = "FIRStorageErrorDomain"

/// What kind of error a ``StorageError`` is: its `(error as NSError).code`.
///
/// ```swift
/// switch StorageErrorCode(rawValue: (error as NSError).code) {
/// case .objectNotFound: …
/// case .unauthorized: …
/// default: …
/// }
/// ```
public enum StorageErrorCode: Int, Swift.Error, Sendable, CaseIterable {
  /// Anything that has no code of its own: most statuses, local files, TLS. The message says what.
  case unknown = -13000
  /// There is nothing at the reference. A bucket that does not exist is reported so, too.
  case objectNotFound = -13010
  /// Never reported: the service says the same as for a missing object.
  case bucketNotFound = -13011
  /// Never reported.
  case projectNotFound = -13012
  /// The project has used up its quota.
  case quotaExceeded = -13013
  /// The token was refused, also after it was renewed once, or could not be had.
  case unauthenticated = -13020
  /// The security rules say no.
  case unauthorized = -13021
  /// The failure may pass, but not within the retry time.
  case retryLimitExceeded = -13030
  /// The bytes that came are not those that the server's checksum or length speaks of.
  case nonMatchingChecksum = -13031
  /// The object is larger than the caller allows.
  case downloadSizeExceeded = -13032
  /// The caller, or the cancellation of the surrounding task, ended it.
  case cancelled = -13040
  /// An argument is out of its range; nothing was sent.
  case invalidArgument = -13050
  /// The reference points into another bucket than its `Storage`.
  case bucketMismatch = -13051
  /// A fault of this library.
  case internalError = -13052
  /// A text that should name an object or a bucket does not.
  case pathError = -13053
}
