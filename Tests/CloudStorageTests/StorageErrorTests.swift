// Errors as callers see them: numbers, texts, userInfo. Conformance group G.

import CloudStorage
import Foundation
import StorageEmulator
import TestSupport
import Testing
import TransferModel

private let path = StoragePath(bucket: "bucket", path: "a")

/// What getMetadata on `a` makes of the scripted answer.
private func error(_ answer: ScriptedAnswer..., at name: String = "a") async -> (StorageError?, ScriptedTransport) {
  let transport = ScriptedTransport(answer)
  let reference = Storage.scripted(transport).reference(withPath: name)
  return (await driving(transport) { try await reference.getMetadata() }.storageError, transport)
}

private func text(_ status: Int, _ body: String, _ type: String = "application/json") -> ScriptedAnswer {
  .status(status, [("Content-Type", type)], body: Array(body.utf8))
}

@Suite("Errors")
struct StorageErrorTests {
  @Test("G20 G21 G22: the codes and the domain are the SDK's")
  func codes() {
    let expected: [(StorageErrorCode, Int)] = [
      (.unknown, -13000), (.objectNotFound, -13010), (.bucketNotFound, -13011), (.projectNotFound, -13012),
      (.quotaExceeded, -13013), (.unauthenticated, -13020), (.unauthorized, -13021),
      (.retryLimitExceeded, -13030), (.nonMatchingChecksum, -13031), (.downloadSizeExceeded, -13032),
      (.cancelled, -13040), (.invalidArgument, -13050), (.bucketMismatch, -13051), (.internalError, -13052),
      (.pathError, -13053),
    ]
    #expect(expected.count == StorageErrorCode.allCases.count)
    for (code, number) in expected { #expect(code.rawValue == number) }
    #expect(StorageErrorCode(rawValue: -13_999) == nil)
    #expect(StorageErrorDomain == "FIRStorageErrorDomain")
  }

  @Test(
    "G01–G05 G08: statuses become codes with the SDK's words",
    arguments: [
      (400, -13000, "Unknown 400 error from backend"),
      (401, -13020, "User is not authenticated, please authenticate using Firebase Authentication and try again."),
      (402, -13013, "Quota for bucket bucket exceeded, please view quota on firebase.google.com."),
      (403, -13021, "User does not have permission to access gs://bucket/a."),
      (404, -13010, "Object a does not exist."), (409, -13000, "Unexpected 409 code from backend"),
      (412, -13000, "Unexpected 412 code from backend"), (416, -13000, "Unexpected 416 code from backend"),
      (501, -13000, "Unexpected 501 code from backend"),
    ])
  func statuses(status: Int, code: Int, message: String) async throws {
    let (error, transport) = await error(text(status, "{}"))
    let bridged = try #require(error) as NSError
    #expect(bridged.domain == "FIRStorageErrorDomain" && bridged.code == code)
    #expect(bridged.localizedDescription == message)
    #expect(bridged.userInfo["ResponseErrorCode"] as? Int == status)
    #expect(transport.requests.count == 1)
  }

  @Test("G09 G10: what does not pass within the retry time ends as such, with the last answer", arguments: [500, 503])
  func retryLimit(status: Int) async throws {
    let (error, transport) = await error(text(status, #"{"error":{"code":\#(status)}}"#))
    let bridged = try #require(error) as NSError
    #expect(bridged.code == -13_030)
    #expect(bridged.userInfo["ResponseErrorCode"] as? Int == status)
    #expect((bridged.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == status)
    #expect(bridged.userInfo["ResponseBody"] as? String == #"{"error":{"code":\#(status)}}"#)
    #expect(transport.requests.count > 2)
  }

  @Test("G11 G12: the body of an error answer is kept as it came")
  func bodies() async throws {
    let page = "<html><body>nothing here</body></html>"
    let (missing, _) = await error(text(404, page, "text/html"))
    #expect(missing?.code == .objectNotFound)
    #expect((missing as NSError?)?.userInfo["ResponseBody"] as? String == page)
    #expect((missing as NSError?)?.userInfo["data_content_type"] as? String == "text/html")
    let json = #"{"error":{"code":403,"message":"Permission denied."}}"#
    let (denied, _) = await error(text(403, json))
    #expect(denied?.code == .unauthorized)
    #expect((denied as NSError?)?.userInfo["ResponseBody"] as? String == json)
    #expect(denied?.serverError?.message.contains("Permission denied.") == true)
  }

  @Test("G13 G14: an empty body and one that is no UTF-8 leave no text")
  func unreadableBodies() async throws {
    let (empty, _) = await error(text(404, ""))
    #expect(empty?.code == .objectNotFound)
    #expect((empty as NSError?)?.userInfo["ResponseBody"] == nil)
    #expect((empty as NSError?)?.userInfo["data"] == nil)
    let (binary, _) = await error(.status(403, body: [0xFF, 0xFE, 0x41]))
    #expect(binary?.code == .unauthorized)
    #expect((binary as NSError?)?.userInfo["ResponseBody"] == nil)
    #expect((binary as NSError?)?.userInfo["data"] as? Data == Data([0xFF, 0xFE, 0x41]))
  }

  @Test("G15: userInfo says what was asked and what was answered")
  func userInfo() async throws {
    let (error, _) = await error(text(404, "{}"))
    let info = (try #require(error) as NSError).userInfo
    #expect(info["ResponseErrorDomain"] as? String == "com.google.HTTPStatus")
    #expect(info["ResponseErrorCode"] as? Int == 404)
    #expect(info["bucket"] as? String == "bucket")
    #expect(info["object"] as? String == "a")
    let underlying = try #require(info[NSUnderlyingErrorKey] as? NSError)
    #expect(underlying.domain == "com.google.HTTPStatus" && underlying.code == 404)
    #expect(info[NSLocalizedDescriptionKey] as? String == "Object a does not exist.")
  }

  @Test("G06 G07 G16: a list at the root has no object to name")
  func listErrors() async throws {
    for (status, code, message) in [
      (404, -13010, "Object <object-entity-internal-error> does not exist."),
      (403, -13021, "User does not have permission to access gs://bucket/<object-entity-internal-error>."),
    ] {
      let transport = ScriptedTransport([text(status, "{}")])
      let root = Storage.scripted(transport).reference()
      let result = await driving(transport) { try await root.list(maxResults: 10) }
      let bridged = try #require(result.storageError) as NSError
      #expect(bridged.code == code && bridged.localizedDescription == message)
      #expect(bridged.userInfo["object"] == nil)
    }
  }

  @Test("G17: the system's errors keep their number")
  func system() {
    let failure = TransferFailure(.diskFull, .local, "cannot write f", errno: 28)
    let error = StorageError(failure, at: path)
    #expect(error.code == .unknown)
    #expect(error.localizedDescription.hasPrefix("POSIX errno 28 (No space left on device)"))
    #expect(error.serverError?.domain == NSPOSIXErrorDomain && error.serverError?.code == 28)
  }

  @Test("G18: a refused connection is tried for the retry time")
  func refused() async throws {
    let (error, transport) = await error(.fault(.connectionRefused))
    #expect(error?.code == .retryLimitExceeded)
    #expect(error?.serverError?.domain == NSURLErrorDomain)
    #expect(transport.requests.count > 2)
  }

  @Test("G19: a certificate that proves nothing is not asked again")
  func certificate() async throws {
    let (error, transport) = await error(.fault(.certificate))
    #expect(error?.code == .unknown)
    #expect(error?.serverError?.code == NSURLErrorServerCertificateUntrusted)
    #expect(transport.requests.count == 1)
  }

  @Test("G23: no content is no metadata")
  func noContent() async throws {
    let (error, _) = await error(.status(204))
    #expect(error?.code == .unknown)
    #expect(error?.localizedDescription.hasPrefix("Invalid data returned from the server") == true)
  }

  @Test("G24: a redirect to another host is followed without the token")
  func redirect() async throws {
    let transport = ScriptedTransport { request, _ in
      request.url.origin.host == "elsewhere.example"
        ? text(200, #"{"size":"3"}"#)
        : .status(302, [("Location", "https://elsewhere.example/x")])
    }
    let reference = Storage.scripted(transport, options: .quiet(tokens: CountingTokens("t-1"))).reference(withPath: "a")
    let metadata = try await driving(transport) { try await reference.getMetadata() }.get()
    #expect(metadata.size == 3)
    #expect(transport.requests.map { $0.fields["Authorization"] } == ["Firebase t-1", nil])
  }

  @Test("G25: the server's own words about a 412 can be read")
  func serviceAccount() async throws {
    let words = "A required service account is missing necessary permissions."
    let (error, _) = await error(text(412, #"{"error":{"code":412,"message":"\#(words)"}}"#))
    #expect(error?.code == .unknown)
    #expect(((error as NSError?)?.userInfo["ResponseBody"] as? String)?.contains(words) == true)
  }

  @Test("checksums and lengths that are not as declared have a code of their own")
  func integrity() {
    for reason in [ReasonCode.checksumMismatch, .sizeMismatch] {
      #expect(StorageError(TransferFailure(reason, .integrity, "x"), at: path).code == .nonMatchingChecksum)
    }
  }

  @Test("H10: a size that is too large says both numbers")
  func tooLarge() {
    let error = StorageError.downloadSizeExceeded(total: 11, maxSize: 10) as NSError
    #expect(
      error.localizedDescription
        == "Attempted to download object with size of 11 bytes, which exceeds the maximum size of 10 bytes. "
        + "Consider raising the maximum download maxSize, or using StorageReference.write")
    #expect(error.userInfo["totalSize"] as? Int64 == 11 && error.userInfo["maxAllowedSize"] as? Int64 == 10)
  }

  @Test("D17: the switch of the documentation works on an error of any static type")
  func documentedSwitch() async {
    let (found, _) = await error(text(404, "{}"))
    let error: (any Error)? = found
    guard let error else {
      Issue.record("no error")
      return
    }
    switch StorageErrorCode(rawValue: (error as NSError).code) {
    case .objectNotFound: break
    default: Issue.record("not the code of a missing object")
    }
  }
}
