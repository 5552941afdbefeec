// Errors in the shape of each API.

import TransferModel

extension EmulatorAnswer {
  /// An error as the API reports it; `isMedia` errors of Google's API are bare text.
  static func error(_ status: Int, _ message: String, _ api: StorageAPI, isMedia: Bool = false) -> EmulatorAnswer {
    switch api {
    case .firebase: .firebaseError(status, message)
    case .google where isMedia: EmulatorAnswer(status, type: "text/html; charset=UTF-8", Array(message.utf8))
    case .google: .googleError(status, message)
    case .xml: .xmlError(status, message)
    }
  }

  static func firebaseError(_ status: Int, _ message: String) -> EmulatorAnswer {
    EmulatorAnswer(
      status, json: .pairs([("error", .pairs([("code", .integer(status)), ("message", .string(message))]))]))
  }

  static func googleError(_ status: Int, _ message: String) -> EmulatorAnswer {
    let reason: [(String, JSONValue)] = [
      ("domain", .string("global")), ("reason", .string(reasons[status] ?? "backendError")),
      ("message", .string(message)),
    ]
    return EmulatorAnswer(
      status,
      json: .pairs([
        (
          "error",
          .pairs([
            ("code", .integer(status)), ("message", .string(message)), ("errors", .array([.pairs(reason)])),
          ])
        )
      ]))
  }

  static func xmlError(_ status: Int, _ message: String) -> EmulatorAnswer {
    let codes = [
      400: "InvalidArgument", 401: "AuthenticationRequired", 403: "AccessDenied", 404: "NoSuchKey",
      412: "PreconditionFailed", 416: "InvalidRange", 429: "SlowDown", 501: "NotImplemented", 503: "ServiceUnavailable",
    ]
    let escaped = message.split(separator: "&", omittingEmptySubsequences: false).joined(separator: "&amp;")
      .split(separator: "<", omittingEmptySubsequences: false).joined(separator: "&lt;")
    let text =
      "<?xml version='1.0' encoding='UTF-8'?><Error><Code>\(codes[status] ?? "InternalError")</Code>"
      + "<Message>\(escaped)</Message></Error>"
    return EmulatorAnswer(status, type: "application/xml; charset=UTF-8", Array(text.utf8))
  }

  private static let reasons = [
    400: "invalid", 401: "required", 403: "forbidden", 404: "notFound", 409: "conflict", 410: "gone",
    412: "conditionNotMet", 416: "requestedRangeNotSatisfiable", 429: "rateLimitExceeded", 500: "internalError",
    501: "notImplemented",
  ]
}
