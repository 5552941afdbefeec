// Where tokens come from: whoever uses the library brings them.

/// Gives the ID token of the user who is signed in.
///
/// It is asked before every request, so it should keep its token and renew it only when it is about to expire or when it
/// must. Calls may overlap and come from any thread.
public protocol StorageTokenProviding: Sendable {
  /// The token to send as `Authorization: Firebase …`; nil = nobody is signed in, and the security rules decide.
  ///
  /// `forcingRefresh` is true once, after the service answered 401 to a request with the token given before. What this
  /// throws ends the operation as ``StorageError/unauthenticated(serverError:)``, with nothing sent.
  func idToken(forcingRefresh: Bool) async throws -> String?
}

/// Gives App Check tokens, which say that a request comes from the genuine app.
public protocol StorageAppCheckProviding: Sendable {
  /// The token to send as `X-Firebase-AppCheck`; nil = none.
  ///
  /// What this throws is reported by ``StorageOptions/onWarning``, and the request goes out without the field.
  func appCheckToken(forcingRefresh: Bool) async throws -> String?
}
