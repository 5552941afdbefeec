// What goes along with requests, and to whom. Conformance groups E and I.

import CloudStorage
import Foundation
import StorageEmulator
import TestSupport
import Testing
import TransferModel

private let found = ScriptedAnswer.status(200, body: Array("{}".utf8))

/// The requests of getMetadata on `a`, and how it ended.
private func asked(
  _ answers: ScriptedAnswer..., origin: Origin? = nil, options: StorageOptions
) async -> (result: Result<StorageMetadata, any Error>, requests: [HTTPRequest]) {
  let transport = ScriptedTransport(answers)
  let reference = Storage.scripted(transport, origin: origin, options: options).reference(withPath: "a")
  let result = await driving(transport) { try await reference.getMetadata() }
  return (result, transport.requests)
}

@Suite("Credentials")
struct CredentialOperationTests {
  @Test("E09 E11: the app and the library name themselves; who is signed out sends no token")
  func signedOut() async throws {
    let (_, requests) = await asked(found, options: StorageOptions(googleAppID: "1:2:ios:3"))
    let request = try #require(requests.first)
    #expect(request.fields["x-firebase-gmpid"] == "1:2:ios:3")
    #expect(request.fields["x-firebase-storage-version"] == "linux/\(StorageEngine.version)")
    #expect(request.fields["Authorization"] == nil && request.fields["X-Firebase-AppCheck"] == nil)
    let (_, anonymous) = await asked(found, options: .quiet(tokens: CountingTokens()))
    #expect(anonymous.map { $0.fields["Authorization"] } == [nil])
    #expect(anonymous.map { $0.fields["x-firebase-gmpid"] } == [nil])
  }

  @Test("E10 E12: over https both tokens go along")
  func signedIn() async throws {
    let options = StorageOptions(tokens: CountingTokens("id"), appCheck: CountingTokens("check"))
    let (_, requests) = await asked(found, options: options)
    #expect(requests.map { $0.fields["Authorization"] } == ["Firebase id"])
    #expect(requests.map { $0.fields["X-Firebase-AppCheck"] } == ["check"])
  }

  @Test("E13 K2: in the clear, no token leaves this machine, and someone is told")
  func clear() async throws {
    let warnings = Collected<String>()
    let options = StorageOptions(
      tokens: CountingTokens("id"), appCheck: CountingTokens("check"), onWarning: { warnings.add($0) })
    let (result, requests) = await asked(
      found, origin: Origin(scheme: .http, host: "storage.example", port: 9199), options: options)
    #expect(result.storageError == nil)
    #expect(requests.map { $0.fields["Authorization"] } == [nil])
    #expect(requests.map { $0.fields["X-Firebase-AppCheck"] } == [nil])
    #expect(warnings.all.count == 1 && warnings.all[0].contains("I-STR000002"))
    #expect(!warnings.all[0].contains("id,"))
  }

  @Test("E14: loopback is no way to anyone", arguments: ["127.0.0.1", "localhost", "[::1]"])
  func loopback(host: String) async throws {
    let (_, requests) = await asked(
      found, origin: Origin(scheme: .http, host: host, port: 9199), options: .quiet(tokens: CountingTokens("id")))
    #expect(requests.map { $0.fields["Authorization"] } == ["Firebase id"])
  }

  @Test("E15: without the token that should be there, nothing is sent")
  func noToken() async throws {
    let (result, requests) = await asked(found, options: .quiet(tokens: FailingTokens()))
    let error = try #require(result.storageError) as NSError
    #expect(error.code == -13_020)
    #expect(error.userInfo["ResponseErrorDomain"] as? String == "FIRAuthErrorDomain")
    #expect(error.userInfo["ResponseErrorCode"] as? Int == 17_020)
    #expect(requests.isEmpty)
  }

  @Test("an App Check token that cannot be had is reported, and the request goes out")
  func noAppCheck() async throws {
    let warnings = Collected<String>()
    let options = StorageOptions(appCheck: FailingTokens(), onWarning: { warnings.add($0) })
    let (result, requests) = await asked(found, options: options)
    #expect(result.storageError == nil && requests.count == 1 && warnings.all.count == 1)
  }

  @Test("G02 I16: a refused token is renewed once, and the request sent again")
  func renewed() async throws {
    let tokens = CountingTokens("old", "new", "newer")
    let (result, requests) = await asked(.status(401), found, options: .quiet(tokens: tokens))
    #expect(result.storageError == nil)
    #expect(requests.map { $0.fields["Authorization"] } == ["Firebase old", "Firebase new"])
    #expect(tokens.refreshes == 1)
  }

  @Test("I17: a token that is refused again is refused")
  func refusedTwice() async throws {
    let tokens = CountingTokens("old", "new", "newer")
    let (result, requests) = await asked(.status(401), options: .quiet(tokens: tokens))
    #expect(result.storageError?.code == .unauthenticated)
    #expect(requests.count == 2 && tokens.refreshes == 1)
  }

  @Test("a 401 to a request without a token is final")
  func refusedWithout() async throws {
    let (result, requests) = await asked(.status(401), options: .quiet(tokens: CountingTokens()))
    #expect(result.storageError?.code == .unauthenticated && requests.count == 1)
  }

  @Test("K30 T08: each request asks anew, so a sign-out counts at once")
  func signOut() async throws {
    let tokens = CountingTokens("id")
    let transport = ScriptedTransport { _, number in
      if number == 1 { tokens.signOut() }
      return number == 1 ? .status(503) : found
    }
    let reference = Storage.scripted(transport, options: .quiet(tokens: tokens)).reference(withPath: "a")
    _ = try await driving(transport) { try await reference.getMetadata() }.get()
    #expect(transport.requests.map { $0.fields["Authorization"] } == ["Firebase id", nil])
  }

  @Test("the emulator's rules see the token")
  func emulator() async throws {
    let emulator = try StorageEmulator()
    emulator.objects.put(testBucket, "a", text: "hello")
    try emulator.play(#"on bucket/** => auth require "Firebase id" else 403"#)
    let signedIn = Storage.at(emulator, options: .quiet(tokens: CountingTokens("id")))
    #expect(try await signedIn.reference(withPath: "a").getMetadata().size == 5)
    let other = Storage.at(emulator).reference(withPath: "a")
    #expect(try await storageError { try await other.getMetadata() }.code == .unauthorized)
  }
}
