// Google credentials, step by step; the rows are those of the conformance group S.

import Testing
import TestSupport
import TransferModel

@testable import Credentials

@Suite struct CredentialsGoogleTests {
  static let google = TokenTrust()
  static let tokenAnswer = #"{"access_token": "ya29.new", "expires_in": 3599, "token_type": "Bearer"}"#

  static func parse(_ json: String, trust: TokenTrust = google) throws -> GoogleCredential {
    try GoogleCredentialFile.parse(Array(json.utf8), file: "cred.json", scope: .readOnly, trust: trust)
  }

  static func find(_ environment: [String: String], files: [String: String] = [:]) throws -> GoogleCredential {
    try DefaultCredentials.find(environment: { environment[$0] }, scope: .readOnly, trust: google) {
      path throws(TransferFailure) in files[path].map { Array($0.utf8) }
    }
  }

  static let user = #"{"type": "authorized_user", "client_id": "id", "client_secret": "cs", "refresh_token": "1//rt"}"#

  // MARK: Search

  @Test func `S01 a named file that is missing is an error, and nothing else is tried`() throws {
    let thrown = try failure {
      _ = try Self.find(
        ["GOOGLE_APPLICATION_CREDENTIALS": "/no/such.json", "HOME": "/h"],
        files: ["/h/.config/gcloud/application_default_credentials.json": Self.user])
    }
    #expect(thrown.message == "File /no/such.json was not found.")
    #expect(thrown.reason == .unauthenticated)
  }

  @Test func `S02 a variable that is set but empty counts as not set`() throws {
    let found = try Self.find(
      ["GOOGLE_APPLICATION_CREDENTIALS": "", "HOME": "/h"],
      files: ["/h/.config/gcloud/application_default_credentials.json": Self.user])
    #expect(found.method is UserRefresh)
  }

  @Test func `the well-known file is looked for in CLOUDSDK_CONFIG before HOME`() throws {
    let found = try Self.find(
      ["CLOUDSDK_CONFIG": "/c", "HOME": "/h"], files: ["/c/application_default_credentials.json": Self.user])
    #expect(found.method is UserRefresh)
    #expect(try Self.find(["HOME": "/h"]).method is MetadataServer)
  }

  @Test(arguments: [#"{"client_id": "x"}"#, #"{"type": "gdch_service_account"}"#])
  func `S03 a file without a known type is an error that lists the types`(json: String) throws {
    let thrown = try failure { _ = try Self.parse(json) }
    #expect(thrown.message.contains("cred.json") && thrown.message.contains("`type`"))
    for type in GoogleCredentialFile.types { #expect(thrown.hint?.contains(type) == true) }
  }

  @Test func `a file that is no JSON is an error that names the file`() throws {
    #expect(
      try failure { _ = try Self.parse("-----BEGIN") }.message == "the credential file cred.json is no JSON object")
  }

  @Test func `S27 the quota project comes from the file, and the environment wins`() throws {
    let json =
      #"{"type": "authorized_user", "client_id": "i", "client_secret": "c", "refresh_token": "r", "quota_project_id": "q1"}"#
    let files = ["/f": json]
    #expect(try Self.find(["GOOGLE_APPLICATION_CREDENTIALS": "/f"], files: files).quotaProject == "q1")
    let environment = ["GOOGLE_APPLICATION_CREDENTIALS": "/f", "GOOGLE_CLOUD_QUOTA_PROJECT": "q2"]
    #expect(try Self.find(environment, files: files).quotaProject == "q2")
  }

  // MARK: Service accounts

  static func serviceAccount(_ key: TestKey, tokenURI: String = "https://oauth2.googleapis.com/token") -> String {
    """
    {"type": "service_account", "client_email": "m@p.iam.gserviceaccount.com", "private_key_id": "k1",
     "private_key": "\(key.jsonText)", "token_uri": "\(tokenURI)"}
    """
  }

  @Test func `S04 S06 S29 the assertion is signed, and sent as a form`() throws {
    let key = try TestKey()
    let play = try TokenPlay.run(try Self.parse(Self.serviceAccount(key)).method, [(200, Self.tokenAnswer)])
    #expect(play.token?.value == "ya29.new")
    #expect(play.requests[0].method == .post)
    #expect(play.url() == "https://oauth2.googleapis.com/token")
    #expect(play.requests[0].fields["Content-Type"] == "application/x-www-form-urlencoded")
    let prefix = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
    let body = play.body()
    try #require(body.hasPrefix(prefix))
    let assertion = String(body.dropFirst(prefix.count))
    let parts = assertion.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
    try #require(parts.count == 3)
    #expect(!assertion.contains("=") && !assertion.contains("+") && !assertion.contains("/"))
    #expect(try key.verifies(parts[2], over: parts[0] + "." + parts[1]))
    func decoded(_ part: String) throws -> String {
      let symbols = String(part.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
      let bytes = Base64.decode(symbols + String(repeating: "=", count: (4 - symbols.count % 4) % 4))
      return String(decoding: try #require(bytes), as: UTF8.self)
    }
    #expect(try decoded(parts[0]) == #"{"alg":"RS256","typ":"JWT","kid":"k1"}"#)
    let now = TokenPlay.now.seconds
    #expect(
      try decoded(parts[1])
        == #"{"iss":"m@p.iam.gserviceaccount.com","scope":"https://www.googleapis.com/auth/devstorage.read_only","#
        + #""aud":"https://oauth2.googleapis.com/token","iat":\#(now),"exp":\#(now + 3_600)}"#)
  }

  @Test func `P32 P33 a wrong clock is corrected once by the server's, and named when that does not help`() throws {
    let key = try TestKey()
    let method = try Self.parse(Self.serviceAccount(key)).method
    let ahead = HTTPFields([.init("Date", "Fri, 02 Jan 2026 02:00:00 GMT")])
    let refused = (400, #"{"error": "invalid_grant", "error_description": "Invalid JWT"}"#)
    let play = try TokenPlay.run(method, [refused, (200, Self.tokenAnswer)], fields: ahead)
    #expect(play.requests.count == 2)
    let claims = play.body(1).split(separator: ".")[1]
    #expect(JSONWebToken.expiry(of: "h.\(claims).s")?.seconds == TokenPlay.now.seconds + 26 * 3_600 + 3_600)
    let thrown = try failure { _ = try TokenPlay.run(method, [refused], fields: ahead) }
    #expect(thrown.message.contains("invalid_grant: Invalid JWT"))
    #expect(thrown.message.contains("this machine's clock is 1560 min behind the server's"))
  }

  @Test(arguments: ["client_email", "private_key", "token_uri"])
  func `a service account without a field is an error that names it`(field: String) throws {
    let key = try TestKey()
    let json = Self.serviceAccount(key).replacing("\"\(field)\"", with: "\"other\"")
    #expect(try failure { _ = try Self.parse(json) }.message == "the credential file cred.json lacks `\(field)`")
  }

  @Test(arguments: ["nonsense", "-----BEGIN PRIVATE KEY-----\\nAAAA\\n-----END PRIVATE KEY-----\\n"])
  func `a private key that is none is an error that does not show it`(key: String) throws {
    let json = """
      {"type": "service_account", "client_email": "e", "private_key": "\(key)",
       "token_uri": "https://oauth2.googleapis.com/token"}
      """
    let thrown = try failure { _ = try Self.parse(json) }
    #expect(thrown.message.contains("`private_key`") && !thrown.message.contains("nonsense"))
  }

  @Test(arguments: [#""3599""#, "3599"])
  func `S05 the lifetime is a number or a text`(lifetime: String) throws {
    let answer = #"{"access_token": "t", "expires_in": \#(lifetime)}"#
    #expect(try TokenPlay.run(try Self.parse(Self.user).method, [(200, answer)]).token?.lifetime == .seconds(3_599))
  }

  // MARK: Logins

  @Test func `S07 a login without a refresh token is an error that names the field`() throws {
    let json = #"{"type": "authorized_user", "client_id": "i", "client_secret": "c"}"#
    #expect(try failure { _ = try Self.parse(json) }.message == "the credential file cred.json lacks `refresh_token`")
  }

  @Test func `S08 a dead refresh token is told with the server's words and what to do`() throws {
    let answer = (400, #"{"error": "invalid_grant", "error_description": "Token has been expired or revoked."}"#)
    let thrown = try failure { _ = try TokenPlay.run(try Self.parse(Self.user).method, [answer]) }
    #expect(thrown.failureClass == .unauthenticated)
    #expect(thrown.message.contains("invalid_grant: Token has been expired or revoked."))
    #expect(thrown.hint?.contains("gcloud auth application-default login") == true)
    #expect(!"\(thrown)".contains("1//rt"))
  }

  @Test func `a login is refreshed by a form, and a new refresh token is used from then on`() throws {
    let answer = #"{"access_token": "a1", "expires_in": 3599, "refresh_token": "1//next"}"#
    let first = try TokenPlay.run(try Self.parse(Self.user).method, [(200, answer)])
    #expect(first.url() == "https://oauth2.googleapis.com/token")
    #expect(first.body() == "grant_type=refresh_token&client_id=id&client_secret=cs&refresh_token=1%2F%2Frt")
    let second = try TokenPlay.run(try #require(first.token?.successor), [(200, Self.tokenAnswer)])
    #expect(second.body().hasSuffix("refresh_token=1%2F%2Fnext"))
  }

  @Test func `a workforce login sends its client by HTTP Basic`() throws {
    let json = """
      {"type": "external_account_authorized_user", "client_id": "id", "client_secret": "cs", "refresh_token": "rt",
       "token_url": "https://sts.googleapis.com/v1/oauthtoken"}
      """
    let play = try TokenPlay.run(try Self.parse(json).method, [(200, Self.tokenAnswer)])
    #expect(play.requests[0].fields["Authorization"] == "Basic aWQ6Y3M=")
    #expect(play.body() == "grant_type=refresh_token&refresh_token=rt")
  }

  // MARK: Metadata server

  static func metadata(_ environment: [String: String], detects: Bool = true) -> MetadataServer {
    MetadataServer(scope: .readOnly, detects: detects, environment: { environment[$0] })
  }

  @Test func `S13 the metadata server is asked for the default account's token`() throws {
    let flavor = HTTPFields([.init("Metadata-Flavor", "Google")])
    let play = try TokenPlay.run(
      Self.metadata(["GCE_METADATA_HOST": "127.0.0.1:8080"]), [(200, ""), (200, Self.tokenAnswer)], fields: flavor)
    #expect(play.url(0) == "http://127.0.0.1:8080/")
    #expect(
      play.url(1)
        == "http://127.0.0.1:8080/computeMetadata/v1/instance/service-accounts/default/token"
        + "?scopes=https%3A%2F%2Fwww.googleapis.com%2Fauth%2Fdevstorage.read_only")
    for request in play.requests {
      #expect(request.fields["Metadata-Flavor"] == "Google")
      #expect(!request.usesProxy)
    }
  }

  @Test func `S14 an answer that does not say that it is Google's means that this is none of its machines`() throws {
    let thrown = try failure { _ = try TokenPlay.run(Self.metadata([:]), [(200, "hello")]) }
    #expect(thrown.message == "default credentials were not found")
  }

  @Test func `S15 NO_GCE_CHECK leaves the metadata server out`() throws {
    let thrown = try failure { _ = try TokenPlay.run(Self.metadata(["NO_GCE_CHECK": "true"])) }
    #expect(thrown.message == "default credentials were not found")
  }

  @Test func `a metadata server that was asked for by name is not looked for first`() throws {
    let play = try TokenPlay.run(Self.metadata([:], detects: false), [(200, Self.tokenAnswer)])
    #expect(play.requests.count == 1)
    #expect(play.url().hasPrefix("http://metadata.google.internal/computeMetadata/"))
  }
}
