// Firebase sign-in, step by step; the rows are those of the conformance group T.

import Testing
import TransferModel

@testable import Credentials

@Suite struct CredentialsFirebaseTests {
  static let real = FirebaseAuthService(apiKey: "AIzaKEY", emulator: nil)
  static let signedIn = #"{"idToken": "id-1", "refreshToken": "rt-1", "expiresIn": "3600", "localId": "u"}"#

  @Test func `T01 a refresh gives a new ID token, and the rotated refresh token is used from then on`() throws {
    let answer = #"{"id_token": "id-2", "refresh_token": "rt-2", "expires_in": "3600"}"#
    let first = try TokenPlay.run(
      FirebaseSignIn(.refreshToken(.environment("RT")), service: Self.real), [(200, answer)],
      environment: ["RT": "rt-1"])
    #expect(first.url() == "https://securetoken.googleapis.com/v1/token?key=AIzaKEY")
    #expect(first.body() == "grant_type=refresh_token&refresh_token=rt-1")
    #expect(first.token?.value == "id-2")
    #expect(first.token?.lifetime == .seconds(3_600))
    let second = try TokenPlay.run(try #require(first.token?.successor), [(200, answer)])
    #expect(second.body() == "grant_type=refresh_token&refresh_token=rt-2")
  }

  @Test(arguments: ["TOKEN_EXPIRED", "USER_DISABLED", "INVALID_REFRESH_TOKEN"])
  func `T02 a dead refresh token is final, and says to sign in again`(code: String) throws {
    let answer = (400, #"{"error": {"code": 400, "message": "\#(code)", "status": "INVALID_ARGUMENT"}}"#)
    let thrown = try failure {
      _ = try TokenPlay.run(
        FirebaseSignIn(.refreshToken(.environment("RT")), service: Self.real), [answer], environment: ["RT": "rt"])
    }
    #expect(thrown.failureClass == .unauthenticated)
    #expect(thrown.message == "https://securetoken.googleapis.com/v1/token answered 400: \(code)")
    #expect(thrown.hint?.contains("sign in again") == true)
    let told = TokenAnswer(
      head: HTTPResponseHead(status: 400), body: Array(answer.1.utf8), place: "", now: TokenPlay.now)
    #expect(TokenPatience.tokenService.wait(after: told, attempt: 1, random: 0.5) == nil)
  }

  @Test func `T03 the code of an error is what stands before the colon`() throws {
    let error = TokenServiceError(
      body: Array(#"{"error": {"code": 400, "message": "INVALID_PASSWORD : detail"}}"#.utf8))
    #expect(error?.code == "INVALID_PASSWORD")
    #expect(error?.detail == "detail")
    #expect(FirebaseAuthHint.hint(for: error) == "Check the email address and the password.")
  }

  @Test func `T04 an anonymous sign-in makes an account`() throws {
    let play = try TokenPlay.run(FirebaseSignIn(.anonymous, service: Self.real), [(200, Self.signedIn)])
    #expect(play.requests[0].method == .post)
    #expect(play.url() == "https://identitytoolkit.googleapis.com/v1/accounts:signUp?key=AIzaKEY")
    #expect(play.body() == #"{"returnSecureToken":true}"#)
    #expect(play.token?.value == "id-1")
    #expect(play.token?.successor is FirebaseRefresh)
  }

  @Test func `a password and a custom token are exchanged for an ID token`() throws {
    let password = try TokenPlay.run(
      FirebaseSignIn(.password(email: "a@b.example", .file("/pw")), service: Self.real), [(200, Self.signedIn)],
      files: ["/pw": "hunter22\n"])
    #expect(password.url().contains("/v1/accounts:signInWithPassword?"))
    #expect(password.body() == #"{"email":"a@b.example","password":"hunter22","returnSecureToken":true}"#)
    let custom = try TokenPlay.run(
      FirebaseSignIn(.customToken(.environment("CT")), service: Self.real), [(200, Self.signedIn)],
      environment: ["CT": "custom"])
    #expect(custom.url().contains("/v1/accounts:signInWithCustomToken?"))
    #expect(custom.body() == #"{"token":"custom","returnSecureToken":true}"#)
  }

  @Test func `T06 the emulator is asked under the real hosts' names`() throws {
    let emulator = try FirebaseAuthService.emulator { $0 == "FIREBASE_AUTH_EMULATOR_HOST" ? "127.0.0.1:9099" : nil }
    let service = FirebaseAuthService(apiKey: "any", emulator: emulator)
    #expect(
      service.accounts("signUp").wireText
        == "http://127.0.0.1:9099/identitytoolkit.googleapis.com/v1/accounts:signUp?key=any")
    #expect(service.token.wireText == "http://127.0.0.1:9099/securetoken.googleapis.com/v1/token?key=any")
  }

  @Test(arguments: ["emulator.example:9099", "127.0.0.1:9099/path", "no host"])
  func `T06 an emulator that is far, or no host, is refused`(value: String) throws {
    #expect(throws: TransferFailure.self) { _ = try FirebaseAuthService.emulator { _ in value } }
  }

  /// `{"alg":"none"}` and a claim.
  static func unsigned(expiry: Int64) -> String {
    let claims = Base64.encode(Array(#"{"sub": "u~?", "exp": \#(expiry)}"#.utf8))
    let symbols = String(claims.compactMap { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 == "=" ? nil : $0 })
    return "eyJhbGciOiJub25lIn0.\(symbols)."
  }

  @Test func `T07 the end of an unsigned token is read`() throws {
    let token = Self.unsigned(expiry: TokenPlay.now.seconds + 90)
    let play = try TokenPlay.run(
      GivenSecret(.environment("T"), name: "the token"), environment: ["T": token])
    #expect(play.token?.value == token)
    #expect(play.token?.lifetime == .seconds(90))
    let ended = Self.unsigned(expiry: TokenPlay.now.seconds - 1)
    let late = try TokenPlay.run(GivenSecret(.environment("T"), name: "the token"), environment: ["T": ended])
    #expect(late.token?.value == ended && late.token?.lifetime == nil)
    #expect(JSONWebToken.expiry(of: "no.token") == nil)
    #expect(JSONWebToken.expiry(of: "a.b.c") == nil)
  }
}
