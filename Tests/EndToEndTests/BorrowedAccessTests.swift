// Commands that ask for one object take bucket and credentials from a manifest when they are told to.

import Foundation
import StorageEmulator
import TestSupport
import Testing

@Suite(.serialized) struct BorrowedAccessTests {
  static let token = "ya29.borrowed"

  /// A bucket that lets nobody in without the token, and a manifest that knows where it is.
  private func bucket(api: String = "gcs") throws -> (server: StorageEmulator, place: Workplace) {
    let server = try StorageEmulator.serving()
    server.put("a/one", Data("one".utf8))
    try server.play("on => auth require \"Bearer \(Self.token)\"")
    let place = try Workplace(
      server.port, api: api, settings: "auth: [{google: {token: {env: GOOGLE_TOKEN}}}]",
      "items: [{ref: a/one, to: one}]")
    return (server, place)
  }

  @Test(
    arguments: [
      ("get a/one got", "proven by"), ("cat a/one", "one"), ("stat a/one", "a/one"), ("ls a", "one"),
      ("ls -l --api gcs gs://b/a", "one"), ("set-metadata a/one k=v", "k"),
    ])
  func `mirror: --manifest lends its bucket and its credentials`(command: String, says: String) async throws {
    let (server, place) = try bucket()
    defer { server.stop() }
    let words = command.split(separator: " ").map(String.init)
    let run = try await place.mirror(
      words + ["-m", "mirror.yaml"], environment: ["GOOGLE_TOKEN": Self.token])
    #expect(run.status == 0, "\(run.errorText)")
    #expect((run.outputText + run.errorText).contains(says), "\(run.outputText) \(run.errorText)")
    #expect(!(run.outputText + run.errorText).contains(Self.token))
  }

  @Test func `mirror get: without --manifest nothing secret is sent, and the refusal says how to send it`()
    async throws
  {
    let (server, place) = try bucket()
    defer { server.stop() }
    let run = try await place.mirror(
      "get", "--emulator", "127.0.0.1:\(server.port)", "--api", "gcs", "gs://b/a/one", "got",
      environment: ["GOOGLE_TOKEN": Self.token])
    #expect(run.status == 7, "\(run.errorText)")
    #expect(run.errorText.contains("--manifest"), "\(run.errorText)")
  }

  @Test func `mirror stat: an option wins over the manifest, a missing secret is told`() async throws {
    let (server, place) = try bucket()
    defer { server.stop() }
    let absent = try await place.mirror("stat", "a/one", "-m", "mirror.yaml")
    #expect(absent.status == 7, "\(absent.errorText)")
    #expect(absent.errorText.contains("GOOGLE_TOKEN"), "\(absent.errorText)")
    let other = try await place.mirror(
      "stat", "a/one", "-m", "mirror.yaml", "--bucket", "no-such", environment: ["GOOGLE_TOKEN": Self.token])
    #expect(other.status == 3, "\(other.errorText)")
    let broken = try await place.mirror("stat", "a/one", "-m", "missing.yaml")
    #expect(broken.status == 2, "\(broken.errorText)")
    #expect(broken.errorText.contains("missing.yaml"), "\(broken.errorText)")
  }
}
