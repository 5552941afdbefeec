// Which failure of a transfer becomes which public error: one table.

import Foundation
package import StorageCore
package import TransferModel

extension StorageError {
  /// Stands in a message where an object's name is missing.
  static let missingObject = "<object-entity-internal-error>"

  /// | failure | error |
  /// | --- | --- |
  /// | cancelled | `cancelled` |
  /// | transient or throttled: the retry time is used up | `retryLimitExceeded` with the last answer |
  /// | checksum or length not as declared | `nonMatchingChecksum` |
  /// | no token could be had; 401 | `unauthenticated` |
  /// | 402, 403, 404 | `quotaExceeded`, `unauthorized`, `objectNotFound` |
  /// | 400 | `unknown`, "Unknown 400 error from backend" |
  /// | another status | `unknown`, "Unexpected … code from backend" |
  /// | the system's error N | `unknown`, "POSIX errno N (…)" |
  /// | anything else | `unknown` with the failure's own sentence |
  ///
  /// - Parameters:
  ///   - path: what was asked for.
  ///   - answer: the last error answer, whole; nil when none came.
  ///   - tokenError: what a token provider threw, where that was the cause.
  package init(
    _ failure: TransferFailure, at path: StoragePath, answer: KeptAnswer? = nil, tokenError: (any Error)? = nil
  ) {
    let object = path.object?.text
    let serverError = StorageServerError(failure, at: path, answer: answer, tokenError: tokenError)
    switch failure.reason {
    case .cancelled:
      self = .cancelled
      return
    case .checksumMismatch, .sizeMismatch:
      self = .nonMatchingChecksum(serverError: serverError)
      return
    case .retryLimitExceeded, .retryAfterTooLong, .deadlineExceeded, .budgetExhausted:
      self = .retryLimitExceeded(serverError: serverError)
      return
    default: break
    }
    if tokenError != nil {
      self = .unauthenticated(serverError: serverError)
    } else if failure.failureClass.isTransient {
      self = .retryLimitExceeded(serverError: serverError)
    } else if let status = failure.httpStatus, let error = Self.refused(status, object, path.bucket, serverError) {
      self = error
    } else if let number = failure.errno {
      self = .unknown(
        message: "POSIX errno \(number) (\(String(cString: strerror(number)))): \(failure.message)",
        serverError: serverError)
    } else {
      self = .unknown(message: failure.message, serverError: serverError)
    }
  }

  /// nil for a success status: then not the status is the trouble.
  private static func refused(
    _ status: Int, _ object: String?, _ bucket: String, _ serverError: StorageServerError
  ) -> StorageError? {
    let name = object ?? missingObject
    return switch status {
    case 200, 206: nil
    case 204:
      .unknown(
        message: "Invalid data returned from the server: <nil request returned from server>", serverError: serverError)
    case 400: .unknown(message: "Unknown 400 error from backend", serverError: serverError)
    case 401: .unauthenticated(serverError: serverError)
    case 402: .quotaExceeded(bucket: bucket, serverError: serverError)
    case 403: .unauthorized(bucket: bucket, object: name, serverError: serverError)
    case 404: .objectNotFound(object: name, serverError: serverError)
    default: .unknown(message: "Unexpected \(status) code from backend", serverError: serverError)
    }
  }
}

extension StorageServerError {
  fileprivate init(
    _ failure: TransferFailure, at path: StoragePath, answer: KeptAnswer?, tokenError: (any Error)?
  ) {
    let cause = tokenError.map { $0 as NSError }
    let (domain, code) = cause.map { ($0.domain, $0.code) } ?? Self.number(of: failure)
    self.init(
      domain: domain, code: code, message: cause?.localizedDescription ?? failure.message, bucket: path.bucket,
      object: path.object?.text)
    guard let answer, answer.status == failure.httpStatus, !answer.body.isEmpty else { return }
    body = Data(answer.body)
    bodyContentType = answer.contentType
  }

  /// The status, the system's number, or the number that Foundation's networking has for such a fault.
  private static func number(of failure: TransferFailure) -> (String, Int) {
    if let status = failure.httpStatus { return (httpStatusDomain, status) }
    if let number = failure.errno { return (NSPOSIXErrorDomain, Int(number)) }
    let code: Int =
      switch failure.reason {
      case .cancelled: NSURLErrorCancelled
      case .timeout, .stalled, .deadlineExceeded, .retryLimitExceeded, .budgetExhausted: NSURLErrorTimedOut
      case .nameNotFound: NSURLErrorCannotFindHost
      case .nameLookupFailed: NSURLErrorDNSLookupFailed
      case .connectionRefused, .proxy: NSURLErrorCannotConnectToHost
      case .unreachable: NSURLErrorNotConnectedToInternet
      case .connectionReset, .truncated: NSURLErrorNetworkConnectionLost
      case .tls: NSURLErrorSecureConnectionFailed
      case .certificate: NSURLErrorServerCertificateUntrusted
      case .tooManyRedirects: NSURLErrorHTTPTooManyRedirects
      case .protocolViolation, .unexpectedContent, .redirectRefused: NSURLErrorBadServerResponse
      default: NSURLErrorUnknown
      }
    return (NSURLErrorDomain, code)
  }
}
