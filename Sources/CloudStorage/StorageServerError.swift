// What stood behind an error: the server's answer, or the fault on the way to it.

public import Foundation

/// What a server or the system said when an operation failed; part of a ``StorageError``.
///
/// The same facts are in `(error as NSError).userInfo`, under the keys in the table.
///
/// | property | key |
/// | --- | --- |
/// | ``domain`` | `ResponseErrorDomain` |
/// | ``code`` | `ResponseErrorCode` |
/// | ``bucket`` | `bucket` |
/// | ``object`` | `object`, absent at a bucket's root |
/// | ``body`` as text | `ResponseBody`, absent when there was none or it is not UTF-8 |
/// | ``body`` | `data` |
/// | ``bodyContentType`` | `data_content_type` |
/// | all of it | `NSUnderlyingError`, an `NSError` of that domain and code |
public struct StorageServerError: Hashable, Sendable {
  /// The domain of HTTP statuses.
  public static let httpStatusDomain = "com.google.HTTPStatus"

  /// ``httpStatusDomain``, `NSURLErrorDomain`, `NSPOSIXErrorDomain`, or that of a token provider's error.
  public var domain: String
  /// The HTTP status, or the number of the error in its domain.
  public var code: Int
  /// What failed and where, one sentence without secrets.
  public var message: String
  /// The bucket that was asked.
  public var bucket: String
  /// The object that was asked for; nil at the bucket's root.
  public var object: String?
  /// The body of the error answer, at most 64 KiB; nil when none came.
  public var body: Data?
  /// The body's `Content-Type`.
  public var bodyContentType: String?

  /// A description of a failure; for tests of code that handles errors.
  public init(
    domain: String = StorageServerError.httpStatusDomain, code: Int, message: String = "", bucket: String = "",
    object: String? = nil, body: Data? = nil, bodyContentType: String? = nil
  ) {
    self.domain = domain
    self.code = code
    self.message = message
    self.bucket = bucket
    self.object = object
    self.body = body
    self.bodyContentType = bodyContentType
  }

  /// As it stands in an `NSError`'s `userInfo`.
  var userInfo: [String: Any] {
    var info: [String: Any] = [
      "ResponseErrorDomain": domain, "ResponseErrorCode": code, "bucket": bucket,
      NSUnderlyingErrorKey: NSError(
        domain: domain, code: code, userInfo: message.isEmpty ? [:] : [NSLocalizedDescriptionKey: message]),
    ]
    if let object { info["object"] = object }
    if let body {
      info["data"] = body
      if let text = String(data: body, encoding: .utf8) { info["ResponseBody"] = text }
      if let bodyContentType { info["data_content_type"] = bodyContentType }
    }
    return info
  }
}
