// Metadata and URLs over the wire. Conformance groups E, F and L.

import CloudStorage
import Foundation
import StorageEmulator
import TestSupport
import Testing
import TransferModel

/// Runs an operation on `a/b c` against one answer.
private func asked<Value: Sendable>(
  _ answer: ScriptedAnswer, _ operation: @escaping @Sendable (StorageReference) async throws -> Value
) async -> (result: Result<Value, any Error>, requests: [HTTPRequest]) {
  let transport = ScriptedTransport([answer])
  let reference = Storage.scripted(transport).reference(withPath: "a/b c")
  let result = await driving(transport) { try await operation(reference) }
  return (result, transport.requests)
}

private func json(_ text: String) -> ScriptedAnswer { .status(200, body: Array(text.utf8)) }

@Suite("Metadata and URLs over the wire")
struct MetadataOperationTests {
  @Test("E01: metadata is asked for by its name alone")
  func request() async throws {
    let emulator = try StorageEmulator()
    emulator.objects.put(testBucket, "a/b", text: "hello")
    let metadata = try await Storage.at(emulator).reference(withPath: "a/b").getMetadata()
    #expect(metadata.size == 5 && metadata.path == "a/b" && metadata.name == "b" && metadata.isFile)
    #expect(metadata.contentType == "text/plain" && metadata.generation > 1_000_000_000_000_000)
    #expect(emulator.log.map { "\($0.method) \($0.target)" } == ["GET /v0/b/bucket/o/a%2Fb"])
  }

  @Test("E03 E04 E05 K19: changes are patched, and what was taken away is gone")
  func update() async throws {
    let emulator = try StorageEmulator()
    emulator.objects.put(
      testBucket, "a/b", Array("hello".utf8),
      .init(contentType: "text/plain", cacheControl: "no-store", custom: ["a": "1", "b": "2"]))
    let reference = Storage.at(emulator).reference(withPath: "a/b")
    let metadata = try await reference.getMetadata()
    metadata.contentType = "x/y"
    metadata.cacheControl = nil
    metadata.customMetadata = ["b": "3"]
    let updated = try await reference.updateMetadata(metadata)
    #expect(updated.contentType == "x/y" && updated.cacheControl == nil && updated.customMetadata == ["b": "3"])
    let sent = try #require(emulator.log.last)
    #expect(sent.method == "PATCH" && sent.target == "/v0/b/bucket/o/a%2Fb")
    #expect(sent.fields["Content-Type"] == "application/json; charset=UTF-8")
    #expect(
      String(decoding: sent.body, as: UTF8.self)
        == #"{"cacheControl":null,"contentType":"x/y","metadata":{"a":null,"b":"3"}}"#)
    #expect(try await reference.getMetadata() == updated)
  }

  @Test("an update without a change only reads")
  func noUpdate() async throws {
    let emulator = try StorageEmulator()
    emulator.objects.put(testBucket, "a", text: "hello")
    let reference = Storage.at(emulator).reference(withPath: "a")
    let metadata = try await reference.getMetadata()
    #expect(try await reference.updateMetadata(metadata).size == 5)
    #expect(emulator.log.map(\.method) == ["GET", "GET"])
  }

  @Test("E16: the root has no metadata, and is not asked for")
  func atRoot() async throws {
    let emulator = try StorageEmulator()
    let root = Storage.at(emulator).reference()
    let metadata = StorageMetadata()
    metadata.contentType = "x/y"
    #expect(try await storageError { try await root.getMetadata() }.code == .invalidArgument)
    #expect(try await storageError { try await root.updateMetadata(metadata) }.code == .invalidArgument)
    #expect(try await storageError { try await root.downloadURL() }.code == .invalidArgument)
    #expect(emulator.log.isEmpty)
  }

  @Test("E17 D03: long and odd names arrive whole", arguments: ["a/b#c?d%e[f]g", String(repeating: "é", count: 512)])
  func names(name: String) async throws {
    let emulator = try StorageEmulator()
    emulator.objects.put(testBucket, name, text: "hello")
    let metadata = try await Storage.at(emulator).reference(withPath: name).getMetadata()
    #expect(metadata.path?.utf8.elementsEqual(name.utf8) == true)
  }

  @Test(
    "F19 L07: a 200 that is no metadata shows what came", arguments: ["[]", #""""#, "null", "not json", ""])
  func notMetadata(body: String) async throws {
    let (result, _) = await asked(json(body)) { try await $0.getMetadata() }
    #expect(result.storageError?.code == .unknown)
    #expect(result.storageError?.localizedDescription == "Invalid data returned from the server: \(body)")
    let (link, _) = await asked(json(body)) { try await $0.downloadURL() }
    #expect(link.storageError?.localizedDescription == "Invalid data returned from the server: \(body)")
  }

  @Test("F20: a body that is no text says so")
  func notText() async throws {
    let (result, _) = await asked(.status(200, body: [0xFF, 0xFE])) { try await $0.getMetadata() }
    #expect(
      result.storageError?.localizedDescription == "Invalid data returned from the server: <unstringable data>")
  }

  @Test(
    "L01 L02 L04 L05 L09 K1: the URL consists of what the answer says, all of it escaped",
    arguments: [
      (#"{"bucket":"bucket","name":"a/b c","downloadTokens":"t1"}"#, "bucket/o/a%2Fb%20c?alt=media&token=t1"),
      (#"{"bucket":"bucket","name":"a","downloadTokens":"t1,t2,t3"}"#, "bucket/o/a?alt=media&token=t1"),
      (
        #"{"bucket":"bucket#/o/other","name":"a","downloadTokens":"t"}"#,
        "bucket%23%2Fo%2Fother/o/a?alt=media&token=t"
      ),
      (
        #"{"bucket":"bucket","name":"a","downloadTokens":"a+b c&d=e"}"#,
        "bucket/o/a?alt=media&token=a%2Bb%20c%26d%3De"
      ),
      (#"{"downloadTokens":"t"}"#, "bucket/o/a%2Fb%20c?alt=media&token=t"),
    ])
  func links(answer: String, expected: String) async throws {
    let (result, requests) = await asked(json(answer)) { try await $0.downloadURL() }
    #expect(try result.get().absoluteString == "https://firebasestorage.googleapis.com/v0/b/\(expected)")
    #expect(requests.count == 1)
  }

  @Test(
    "L03: without a token there is no URL",
    arguments: ["{}", #"{"downloadTokens":""}"#, #"{"downloadTokens":5}"#, #"{"downloadTokens":[]}"#])
  func noToken(answer: String) async throws {
    let (result, _) = await asked(json(answer)) { try await $0.downloadURL() }
    #expect(
      result.storageError == .unknown(message: "Failed to retrieve a download URL.", serverError: nil))
  }

  @Test("L06: a URL of the emulator fetches the bytes without any credential")
  func fetchable() async throws {
    let emulator = try StorageEmulator()
    emulator.objects.put(testBucket, "a/b c", text: "hello")
    let link = try await Storage.at(emulator).reference(withPath: "a/b c").downloadURL()
    #expect(link.absoluteString.hasPrefix("http://127.0.0.1:\(emulator.port)/v0/b/bucket/o/a%2Fb%20c?alt=media&token="))
    let target = try #require(link.absoluteString.firstRange(of: "/v0/").map { link.absoluteString[$0.lowerBound...] })
    #expect(try PlainHTTP.request(port: emulator.port, String(target)).text == "hello")
  }

  @Test("L08: who may not read gets no URL")
  func denied() async throws {
    let (result, _) = await asked(.status(403)) { try await $0.downloadURL() }
    #expect(result.storageError?.code == .unauthorized)
  }

  @Test("L10: an error about an answer with a token does not show it")
  func secret() async throws {
    let (result, _) = await asked(json(#"{"downloadTokens":"aaaabbbb-cccc-dddd-eeee-ffff00001111","x":}"#)) {
      try await $0.downloadURL()
    }
    let error = try #require(result.storageError)
    #expect(!"\(error) \((error as NSError).userInfo)".contains("ffff00001111"))
  }
}
