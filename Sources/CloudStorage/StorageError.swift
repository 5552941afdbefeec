// The errors of the library as Swift values. Which failure becomes which is `StorageError+Mapping.swift`.

public import Foundation

/// What an operation of this library throws or hands to its completion.
///
/// As an `NSError` it has the domain ``StorageErrorDomain``, a ``StorageErrorCode`` as its code, and in `userInfo` what
/// ``StorageServerError`` lists.
public enum StorageError: Error, Hashable, Sendable {
  /// Anything without a case of its own: most statuses, local files, TLS, answers that cannot be read.
  case unknown(message: String, serverError: StorageServerError?)
  /// There is nothing at the reference, or its bucket does not exist.
  case objectNotFound(object: String, serverError: StorageServerError?)
  /// Never thrown: the service says the same as for a missing object.
  case bucketNotFound(bucket: String, serverError: StorageServerError?)
  /// Never thrown.
  case projectNotFound(project: String, serverError: StorageServerError?)
  /// The project has used up its quota.
  case quotaExceeded(bucket: String, serverError: StorageServerError?)
  /// The token was refused, also after it was renewed once, or none could be had.
  case unauthenticated(serverError: StorageServerError?)
  /// The security rules say no.
  case unauthorized(bucket: String, object: String, serverError: StorageServerError?)
  /// The failure may pass, but did not within the retry time; with the last answer.
  case retryLimitExceeded(serverError: StorageServerError?)
  /// The bytes that came are not those that the server's checksum or length speaks of.
  case nonMatchingChecksum(serverError: StorageServerError?)
  /// `total` in bytes: the object's length where it was declared, else what had come so far.
  case downloadSizeExceeded(total: Int64, maxSize: Int64)
  /// The caller, or the cancellation of the surrounding task, ended it.
  case cancelled
  /// An argument is out of its range, or settings cannot be read; nothing was sent.
  case invalidArgument(message: String)
  /// The URL is in another bucket than the storage's.
  case bucketMismatch(message: String)
  /// A fault of this library.
  case internalError(message: String)
  /// A text that should name an object or a bucket does not.
  case pathError(message: String)

  /// The kind of error.
  public var code: StorageErrorCode {
    switch self {
    case .unknown: .unknown
    case .objectNotFound: .objectNotFound
    case .bucketNotFound: .bucketNotFound
    case .projectNotFound: .projectNotFound
    case .quotaExceeded: .quotaExceeded
    case .unauthenticated: .unauthenticated
    case .unauthorized: .unauthorized
    case .retryLimitExceeded: .retryLimitExceeded
    case .nonMatchingChecksum: .nonMatchingChecksum
    case .downloadSizeExceeded: .downloadSizeExceeded
    case .cancelled: .cancelled
    case .invalidArgument: .invalidArgument
    case .bucketMismatch: .bucketMismatch
    case .internalError: .internalError
    case .pathError: .pathError
    }
  }

  /// What the server or the system said; nil when the error arose here.
  public var serverError: StorageServerError? {
    switch self {
    case .unknown(_, let error), .objectNotFound(_, let error), .bucketNotFound(_, let error),
      .projectNotFound(_, let error), .quotaExceeded(_, let error), .unauthenticated(let error),
      .unauthorized(_, _, let error), .retryLimitExceeded(let error), .nonMatchingChecksum(let error):
      error
    case .downloadSizeExceeded, .cancelled, .invalidArgument, .bucketMismatch, .internalError, .pathError: nil
    }
  }
}

extension StorageError: LocalizedError {
  /// One sentence for people.
  public var errorDescription: String? {
    switch self {
    case .unknown(let message, _), .invalidArgument(let message), .bucketMismatch(let message),
      .internalError(let message), .pathError(let message):
      message
    case .objectNotFound(let object, _): "Object \(object) does not exist."
    case .bucketNotFound(let bucket, _): "Bucket \(bucket) does not exist."
    case .projectNotFound(let project, _): "Project \(project) does not exist."
    case .quotaExceeded(let bucket, _):
      "Quota for bucket \(bucket) exceeded, please view quota on firebase.google.com."
    case .unauthenticated:
      "User is not authenticated, please authenticate using Firebase Authentication and try again."
    case .unauthorized(let bucket, let object, _):
      "User does not have permission to access gs://\(bucket)/\(object)."
    case .retryLimitExceeded: "Max retry time for operation exceeded, please try again."
    case .nonMatchingChecksum:
      "The bytes that were received do not match the checksum or the length that the server declares; please retry."
    case .downloadSizeExceeded(let total, let maxSize):
      "Attempted to download object with size of \(total) bytes, which exceeds the maximum size of \(maxSize) bytes. "
        + "Consider raising the maximum download maxSize, or using StorageReference.write"
    case .cancelled: "User cancelled the upload/download."
    }
  }
}

extension StorageError: CustomNSError {
  public static var errorDomain: String { StorageErrorDomain }

  public var errorCode: Int { code.rawValue }

  public var errorUserInfo: [String: Any] {
    var info = serverError?.userInfo ?? [:]
    info[NSLocalizedDescriptionKey] = errorDescription
    if case .downloadSizeExceeded(let total, let maxSize) = self {
      info["totalSize"] = total
      info["maxAllowedSize"] = maxSize
    }
    return info
  }
}

extension StorageError: CustomStringConvertible {
  /// The sentence, the code, and what the server said.
  public var description: String {
    var text = "\(errorDescription ?? "") [\(code) \(code.rawValue)]"
    if let serverError, !serverError.message.isEmpty { text += " \(serverError.message)" }
    return text
  }
}
