// Where Firebase Authentication is, and what its error words mean for us.

package import TransferModel

/// The endpoints of Firebase Authentication: the real ones, or an emulator's.
package struct FirebaseAuthService: Hashable, Sendable {
  /// nil = the real service.
  private let emulator: Origin?
  /// The project's Web API key.
  package let apiKey: String

  package init(apiKey: String, emulator: Origin?) {
    self.apiKey = apiKey
    self.emulator = emulator
  }

  /// Reads `FIREBASE_AUTH_EMULATOR_HOST` (`host:port`); nil when it is not set or empty.
  package static func emulator(environment: (String) -> String?) throws(TransferFailure) -> Origin? {
    guard let value = environment("FIREBASE_AUTH_EMULATOR_HOST"), !value.isEmpty else { return nil }
    guard let url = try? HTTPURL(parsing: value.contains("://") ? value : "http://" + value), url.path == "/",
      url.query == nil, url.userInfo == nil
    else {
      throw TransferFailure(
        .invalidRequest, .permanent, "FIREBASE_AUTH_EMULATOR_HOST takes a host and a port, as in 127.0.0.1:9099")
    }
    guard url.origin.scheme == .https || url.origin.isLoopback else {
      throw TransferFailure(
        .invalidRequest, .permanent,
        "FIREBASE_AUTH_EMULATOR_HOST names \(url.origin): secrets would cross the network in clear",
        hint: "Run the emulator on this machine, or name it with https://.")
    }
    return url.origin
  }

  func accounts(_ method: String) -> HTTPURL { url("identitytoolkit.googleapis.com", "/v1/accounts:\(method)") }
  var token: HTTPURL { url("securetoken.googleapis.com", "/v1/token") }

  private func url(_ host: String, _ path: String) -> HTTPURL {
    HTTPURL(
      origin: emulator ?? Origin(scheme: .https, host: host), path: emulator == nil ? path : "/\(host)\(path)",
      query: "key=" + PercentEncoding.encode(apiKey))
  }
}

/// What to do about an error word of Firebase Authentication; nil when there is nothing to add.
enum FirebaseAuthHint {
  static func hint(for error: TokenServiceError?) -> String? {
    guard let error else { return nil }
    switch error.code {
    case "TOKEN_EXPIRED", "USER_DISABLED", "USER_NOT_FOUND", "INVALID_REFRESH_TOKEN", "MISSING_REFRESH_TOKEN",
      "INVALID_GRANT_TYPE", "PROJECT_NUMBER_MISMATCH":
      return "The refresh token serves no more, or is of another project: sign in again and give the new one."
    case "EMAIL_NOT_FOUND", "INVALID_PASSWORD", "INVALID_LOGIN_CREDENTIALS", "INVALID_EMAIL", "MISSING_PASSWORD":
      return "Check the email address and the password."
    case "OPERATION_NOT_ALLOWED", "ADMIN_ONLY_OPERATION":
      return "Enable this way of signing in under Authentication in the Firebase console."
    case "INVALID_CUSTOM_TOKEN", "CREDENTIAL_MISMATCH":
      return "The custom token is not valid, or was made for another project than the API key's."
    case "TOO_MANY_ATTEMPTS_TRY_LATER", "QUOTA_EXCEEDED":
      return "Too many sign-ins; wait before the next run."
    default:
      return error.text.contains("API key not valid") ? "Check the project's Web API key." : nil
    }
  }
}
