// Which credential reaches which server, over the wire; rows of the conformance groups E, I and S.

import Foundation
import MirrorPlan
import StorageEmulator
import TestSupport
import Testing
import TransferModel

@testable import MirrorEngine

@Suite struct CredentialsRunTests {
  static let idToken = AuthEntry.firebase(FirebaseAuth(method: .idToken(.env("ID_TOKEN"))))
  static let refresh = AuthEntry.firebase(FirebaseAuth(method: .refreshToken(.env("REFRESH"))))

  private func refreshing(_ run: inout CredentialsRun) {
    run.environment = ["REFRESH": "refresh-token-1", "FIREBASE_AUTH_EMULATOR_HOST": run.host]
  }

  @Test func `E10 E12 E14 an ID token and an App Check token go to the emulator on this machine`() async throws {
    var run = try CredentialsRun("put bucket a text hello\non GET => auth require \"Firebase id-token-value\"")
    run.environment = ["ID_TOKEN": "id-token-value", "CHECK": "app-check-value"]
    let auth = AuthEntry.firebase(FirebaseAuth(method: .idToken(.env("ID_TOKEN")), appCheck: .env("CHECK")))
    let result = try await run.apply([auth], [(CredentialsRun.object("a"), "a")])
    #expect(result.status == .done, "\(result.summary)")
    #expect(run.objectRequests.allSatisfy { $0.fields["X-Firebase-AppCheck"] == "app-check-value" })
    #expect(!run.sent.isEmpty && run.sent.allSatisfy { $0 == "Firebase id-token-value" })
  }

  @Test func `E11 with nobody signed in there is no Authorization`() async throws {
    let run = try CredentialsRun("put bucket a text hello")
    let none = AuthEntry.firebase(FirebaseAuth(method: .none))
    #expect(try await run.apply([none], [(CredentialsRun.object("a"), "a")]).status == .done)
    #expect(!run.sent.isEmpty && run.sent.allSatisfy { $0.isEmpty })
  }

  @Test func `E15 a token that cannot be had ends the run before anything is asked`() async throws {
    let run = try CredentialsRun("put bucket a text hello")
    let refusal = await #expect(throws: RunRefusal.self) {
      _ = try await run.apply([Self.idToken], [(CredentialsRun.object("a"), "a")])
    }
    #expect(refusal?.status == .authentication)
    #expect(refusal?.failure.message == "a secret cannot be read: the environment variable ID_TOKEN is not set")
    #expect(run.emulator.log.isEmpty)
  }

  @Test func `E15 a sign-in that is refused fails the item, and no object is asked for`() async throws {
    var run = try CredentialsRun(
      "put bucket a text hello\non POST => status 400 body text \"{\\\"error\\\": {\\\"message\\\": \\\"TOKEN_EXPIRED\\\"}}\""
    )
    refreshing(&run)
    let result = try await run.apply([Self.refresh], [(CredentialsRun.object("a"), "a")])
    #expect(result.status == .authentication)
    #expect(run.sent.isEmpty)
    #expect(try run.folder.readText("report.json").contains("TOKEN_EXPIRED"))
  }

  @Test func `P33 a token that has ended is sent all the same, and its refusal says so`() async throws {
    var run = try CredentialsRun("on GET => auth require \"Firebase other\"")
    run.environment["ID_TOKEN"] = CredentialsFirebaseTests.unsigned(expiry: 1_000_000)
    let result = try await run.apply([Self.idToken], [(CredentialsRun.object("a"), "a")])
    #expect(result.status == .authentication)
    #expect(run.sent.count == 1)
    let report = try run.folder.readText("report.json")
    #expect(report.contains("it says that it ended") && report.contains("by this machine's clock"))
  }

  @Test func `I16 a 401 is followed by one refresh and a resend`() async throws {
    var run = try CredentialsRun(
      "put bucket a text hello\non GET => auth require \"Firebase fresh-token\"\n"
        + TokenScript.refresh("stale-token", "fresh-token"))
    refreshing(&run)
    let result = try await run.apply([Self.refresh], [(CredentialsRun.object("a"), "a")])
    #expect(result.status == .done, "\(result.summary)")
    #expect(run.tokenRequests.count == 2)
    #expect(run.sent.first == "Firebase stale-token" && run.sent.last == "Firebase fresh-token")
  }

  @Test func `I17 a second 401 ends it for that host with status 7, and other hosts go on`() async throws {
    var run = try CredentialsRun(
      "put bucket a text hello\non GET => auth require \"Firebase never\"\n"
        + TokenScript.refresh("token-one", "token-two", "token-three"))
    refreshing(&run)
    run.jobs = 1
    let other = try StorageEmulator()
    try other.play("put b x text other")
    let items =
      try (0..<20).map { (CredentialsRun.object("a"), "a\($0)") } + [
        (CredentialsRun.web("\(other.url)/b/x"), "x")
      ]
    let result = try await run.apply([Self.refresh], items)
    #expect(result.status == .authentication)
    #expect(run.tokenRequests.count == 2)
    // The first learn it from refusals of their own; for the rest of the twenty it is known.
    #expect(run.sent.count <= 8, "\(run.sent)")
    #expect(try run.folder.readText("out/x") == "other")
  }

  @Test func `P34 S12 many workers that are refused at once cause one refresh`() async throws {
    var run = try CredentialsRun(
      "on GET => auth require \"Firebase fresh-token\"; delay 20ms\n"
        + TokenScript.refresh("stale-token", "fresh-token", delay: "100ms"))
    for number in 0..<64 { run.emulator.objects.put("bucket", "o\(number)", text: "content") }
    refreshing(&run)
    run.jobs = 32
    let result = try await run.apply([Self.refresh], (0..<64).map { (CredentialsRun.object("o\($0)"), "o\($0)") })
    #expect(result.status == .done, "\(result.summary)")
    #expect(run.tokenRequests.count == 2)
    #expect(run.sent.count { $0 == "Firebase stale-token" } <= 32)
  }

  @Test func `P35 a redirect to another origin carries nothing, one to the same origin does`() async throws {
    let store = try StorageEmulator()
    try store.play("put b x text signed\non with Authorization => status 400 body text \"only one auth mechanism\"")
    var run = try CredentialsRun(
      """
      put b same text same
      on GET target /away => redirect 302 "\(store.url)/b/x?X-Goog-Signature=abc"
      on GET target /near => redirect 302 /b/same
      """)
    run.environment = ["TOKEN": "host-secret"]
    let host = AuthEntry.host(
      HostAuth(
        origin: run.origin,
        credential: .header("Authorization", SecretReference(prefix: "Bearer ", source: .environment("TOKEN")))))
    let result = try await run.apply(
      [host],
      [(CredentialsRun.web("\(run.emulator.url)/away"), "x"), (CredentialsRun.web("\(run.emulator.url)/near"), "y")])
    #expect(result.status == .done, "\(result.summary)")
    #expect(!store.log.isEmpty && store.log.allSatisfy { $0.fields["Authorization"] == nil })
    let near = run.emulator.log.filter { $0.target == "/b/same" }
    #expect(!near.isEmpty && near.allSatisfy { $0.fields["Authorization"] == "Bearer host-secret" })
  }

  @Test func `S01 S30 with an emulator the default credentials are not looked for`() async throws {
    var run = try CredentialsRun("put bucket a text hello")
    run.api = .gcs
    run.environment = ["GOOGLE_APPLICATION_CREDENTIALS": "/no/such/file"]
    let auth = AuthEntry.google(GoogleAuth(method: .defaultCredentials))
    #expect(try await run.apply([auth], [(CredentialsRun.object("a"), "a")]).status == .done)
    #expect(!run.sent.isEmpty && run.sent.allSatisfy { $0.isEmpty })
  }

  @Test func `S27 a service account's key brings a token, and the projects for quota and payment go with it`()
    async throws
  {
    let key = try TestKey()
    var run = try CredentialsRun(
      "put bucket a text hello\non GET => auth require \"Bearer ya29.minted\"\n"
        + TokenScript.answers("/token", [#"{"access_token": "ya29.minted", "expires_in": 3599}"#]))
    run.api = .gcs
    let json = CredentialsGoogleTests.serviceAccount(key, tokenURI: "\(run.emulator.url)/token")
    try run.folder.write(
      json.replacing("{\"type\"", with: "{\"quota_project_id\": \"quota\", \"type\""), to: "key.json")
    let auth = AuthEntry.google(
      GoogleAuth(method: .credentialFile("key.json"), userProject: "payer", tokenOrigins: [run.origin]))
    let result = try await run.apply([auth], [(CredentialsRun.object("a"), "a")])
    #expect(result.status == .done, "\(result.summary)")
    #expect(run.tokenRequests.count == 1)
    #expect(run.objectRequests.allSatisfy { $0.fields["x-goog-user-project"] == "quota" })
    #expect(run.objectRequests.allSatisfy { $0.target.contains("userProject=payer") })
  }

  @Test func `S26 a key file that leads elsewhere is refused before anything is asked`() async throws {
    let key = try TestKey()
    let run = try CredentialsRun()
    try run.folder.write(
      CredentialsGoogleTests.serviceAccount(key, tokenURI: "\(run.emulator.url)/token"), to: "key.json")
    let refusal = await #expect(throws: RunRefusal.self) {
      _ = try await run.apply([.google(GoogleAuth(method: .credentialFile("key.json")))], [])
    }
    #expect(refusal?.status == .authentication)
    #expect(refusal?.failure.message.contains("`token_uri`") == true)
    #expect(run.emulator.log.isEmpty)
  }
}
