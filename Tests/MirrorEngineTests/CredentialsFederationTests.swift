// Workload identities and impersonation, step by step; the rows are those of the conformance group S.

import Testing
import TransferModel

@testable import Credentials

@Suite struct CredentialsFederationTests {
  static let impersonationURL =
    "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/m@p.iam.gserviceaccount.com:generateAccessToken"
  static let impersonated = #"{"accessToken": "ya29.imp", "expireTime": "2026-01-01T01:00:00.5Z"}"#

  static func account(
    source: String = #"{"file": "/token"}"#, tokenURL: String = "https://sts.googleapis.com/v1/token", more: String = ""
  ) -> String {
    """
    {"type": "external_account", "audience": "//iam.googleapis.com/projects/1/x",
     "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "token_url": "\(tokenURL)",
     "credential_source": \(source)\(more.isEmpty ? "" : ", " + more)}
    """
  }

  private func method(_ json: String, trust: TokenTrust = TokenTrust()) throws -> any TokenMethod {
    try CredentialsGoogleTests.parse(json, trust: trust).method
  }

  @Test func `S16 S22 a token file is sent without its line break, in the form that RFC 8693 wants`() throws {
    let play = try TokenPlay.run(
      try method(Self.account()), [(200, CredentialsGoogleTests.tokenAnswer)], files: ["/token": "tok\n"])
    #expect(play.url() == "https://sts.googleapis.com/v1/token")
    #expect(
      play.body()
        == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange"
        + "&audience=%2F%2Fiam.googleapis.com%2Fprojects%2F1%2Fx"
        + "&scope=https%3A%2F%2Fwww.googleapis.com%2Fauth%2Fdevstorage.read_only"
        + "&requested_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token"
        + "&subject_token=tok&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Ajwt")
    #expect(play.token?.value == "ya29.new")
  }

  @Test func `S17 a token in a JSON file is taken from its field`() throws {
    let source = #"{"file": "/token", "format": {"type": "json", "subject_token_field_name": "value"}}"#
    let play = try TokenPlay.run(
      try method(Self.account(source: source)), [(200, CredentialsGoogleTests.tokenAnswer)],
      files: ["/token": "{\n  \"value\": \"inner\"\n}"])
    #expect(play.body().contains("&subject_token=inner&"))
  }

  @Test func `S18 a JSON format without the field's name is an error`() throws {
    let source = #"{"file": "/token", "format": {"type": "json"}}"#
    let thrown = try failure { _ = try method(Self.account(source: source)) }
    #expect(thrown.message.hasSuffix("lacks `credential_source.format.subject_token_field_name`"))
  }

  @Test(arguments: [
    (nil, "No such file"), ("\n", "empty token"), (#"{"other": "x"}"#, "`value`"), (#"{"value": ""}"#, "empty token"),
  ])
  func `S19 a missing file, an empty token and a missing field are errors`(content: String?, part: String) throws {
    let isText = content == "\n" || content == nil
    let format = isText ? "" : #", "format": {"type": "json", "subject_token_field_name": "value"}"#
    let thrown = try failure {
      _ = try TokenPlay.run(
        try method(Self.account(source: #"{"file": "/token"\#(format)}"#)), files: content.map { ["/token": $0] } ?? [:]
      )
    }
    #expect(thrown.message.contains(part))
    #expect(thrown.reason == .unauthenticated)
  }

  static let gitHub = """
    {"url": "https://runner.example/token?api-version=2&audience=aud", "headers": {"Authorization": "Bearer request-token"},
     "format": {"type": "json", "subject_token_field_name": "value"}}
    """

  @Test func `S20 a token service of the platform is asked with its headers`() throws {
    let play = try TokenPlay.run(
      try method(Self.account(source: Self.gitHub)),
      [(200, #"{"value": "subject"}"#), (200, CredentialsGoogleTests.tokenAnswer)])
    #expect(play.requests[0].method == .get)
    #expect(play.url(0) == "https://runner.example/token?api-version=2&audience=aud")
    #expect(play.requests[0].fields["Authorization"] == "Bearer request-token")
    #expect(play.body(1).contains("&subject_token=subject&"))
  }

  @Test func `S21 an error of the platform's service is shown`() throws {
    let thrown = try failure {
      _ = try TokenPlay.run(try method(Self.account(source: Self.gitHub)), [(500, "the runner is on fire")])
    }
    #expect(thrown.message == "https://runner.example/token answered 500: the runner is on fire")
    #expect(!thrown.message.contains("audience"))
  }

  @Test(arguments: [("", "3600s"), (#"{"token_lifetime_seconds": 600}"#, "600s")])
  func `S23 S24 the exchanged token is exchanged again for the service account's`(options: String, lifetime: String)
    throws
  {
    let more =
      #""service_account_impersonation_url": "\#(Self.impersonationURL)""#
      + (options.isEmpty ? "" : #", "service_account_impersonation": \#(options)"#)
    let play = try TokenPlay.run(
      try method(Self.account(more: more)),
      [(200, #"{"access_token": "sts-token", "expires_in": 3600}"#), (200, Self.impersonated)],
      files: ["/token": "tok"])
    #expect(play.body(0).contains("&scope=https%3A%2F%2Fwww.googleapis.com%2Fauth%2Fiam&"))
    #expect(play.url(1) == Self.impersonationURL)
    #expect(play.requests[1].fields["Authorization"] == "Bearer sts-token")
    #expect(
      play.body(1)
        == #"{"delegates":[],"scope":["https://www.googleapis.com/auth/devstorage.read_only"],"lifetime":"\#(lifetime)"}"#
    )
    #expect(play.token?.value == "ya29.imp")
    #expect(play.token?.lifetime == .milliseconds(3_600_500))
  }

  @Test func `S24 a lifetime out of bounds is an error`() throws {
    let more = """
      "service_account_impersonation_url": "\(Self.impersonationURL)",
      "service_account_impersonation": {"token_lifetime_seconds": 599}
      """
    #expect(try failure { _ = try method(Self.account(more: more)) }.message.contains("600 to 43200"))
  }

  @Test func `S25 two sources are an error`() throws {
    let thrown = try failure {
      _ = try method(Self.account(source: #"{"file": "/t", "url": "https://x.example/"}"#))
    }
    #expect(thrown.message.contains("more than one source: file, url"))
  }

  @Test(arguments: [
    #"{"executable": {"command": "x"}}"#, #"{"environment_id": "aws1", "url": "http://169.254.169.254/"}"#,
  ])
  func `sources that mirror does not use are named`(source: String) throws {
    #expect(try failure { _ = try method(Self.account(source: source)) }.message.contains("which mirror does not use"))
  }

  @Test(arguments: [
    "http://evil.example/token", "https://evil.example/token", "http://sts.googleapis.com/v1/token",
    "https://googleapis.com.evil.example/token", "https://evilgoogleapis.com/token",
    "https://sts.googleapis.com:8443/token",
    "https://user:pw@sts.googleapis.com/token",
  ])
  func `S26 a token service that is not Google's is refused`(url: String) throws {
    let thrown = try failure { _ = try method(Self.account(tokenURL: url)) }
    #expect(thrown.message.contains("`token_url`"))
    #expect(!thrown.message.contains("pw"))
  }

  @Test func `S26 a token service that the manifest names is allowed, over https or on this machine`() throws {
    let named = try Origin(parsing: "https://sts.example")
    _ = try method(Self.account(tokenURL: "https://sts.example/token"), trust: TokenTrust(origins: [named]))
    let far = try Origin(parsing: "http://sts.example")
    #expect(throws: TransferFailure.self) {
      _ = try method(Self.account(tokenURL: "http://sts.example/token"), trust: TokenTrust(origins: [far]))
    }
    let near = try Origin(parsing: "http://127.0.0.1:99")
    _ = try method(Self.account(tokenURL: "http://127.0.0.1:99/token"), trust: TokenTrust(origins: [near]))
  }

  @Test func `S26 impersonation at a host that is not Google's is refused`() throws {
    let more = #""service_account_impersonation_url": "https://evil.example/x""#
    #expect(throws: TransferFailure.self) { _ = try method(Self.account(more: more)) }
  }

  @Test func `the platform's service may not be asked in the clear past this machine and its link`() throws {
    #expect(throws: TransferFailure.self) { _ = try method(Self.account(source: #"{"url": "http://x.example/"}"#)) }
    _ = try method(Self.account(source: #"{"url": "http://169.254.170.2/token"}"#))
  }

  @Test func `a login that impersonates an account gets the account's token`() throws {
    let json = """
      {"type": "impersonated_service_account", "service_account_impersonation_url": "\(Self.impersonationURL)",
       "delegates": ["projects/-/serviceAccounts/d"], "source_credentials": \(CredentialsGoogleTests.user)}
      """
    let play = try TokenPlay.run(
      try method(json), [(200, #"{"access_token": "user-token", "expires_in": 3600}"#), (200, Self.impersonated)])
    #expect(play.requests[1].fields["Authorization"] == "Bearer user-token")
    #expect(play.body(1).contains(#""delegates":["projects/-/serviceAccounts/d"]"#))
    #expect(play.token?.value == "ya29.imp")
  }

  @Test func `a refused impersonation says which role is missing`() throws {
    let more = #""service_account_impersonation_url": "\#(Self.impersonationURL)""#
    let refusal = #"{"error": {"code": 403, "status": "PERMISSION_DENIED", "message": "Permission denied on it"}}"#
    let thrown = try failure {
      _ = try TokenPlay.run(
        try method(Self.account(more: more)), [(200, CredentialsGoogleTests.tokenAnswer), (403, refusal)],
        files: ["/token": "t"])
    }
    #expect(thrown.message.contains("PERMISSION_DENIED: Permission denied on it"))
    #expect(thrown.hint?.contains("roles/iam.serviceAccountTokenCreator") == true)
  }
}

extension Origin {
  init(parsing text: String) throws { self = try HTTPURL(parsing: text).origin }
}
