// Lists over the wire, as the public API gives them. Conformance group M.

import CloudStorage
import Foundation
import StorageEmulator
import TestSupport
import Testing
import TransferModel

private func json(_ text: String) -> ScriptedAnswer { .status(200, body: Array(text.utf8)) }

private func paths(_ references: [StorageReference]) -> [String] { references.map(\.fullPath) }

/// The parameters of a request's query, decoded.
private func query(_ request: HTTPRequest) -> [String: String] {
  var parameters: [String: String] = [:]
  for part in (request.url.query ?? "").split(separator: "&") {
    let pair = part.split(separator: "=", maxSplits: 1)
    parameters[String(pair[0])] = pair.count > 1 ? PercentEncoding.decode(pair[1]) : ""
  }
  return parameters
}

/// Lists all of `at` against these answers.
private func listed(
  at path: String = "", _ answers: ScriptedAnswer..., warnings: Collected<String> = Collected()
) async -> (result: Result<StorageListResult, any Error>, requests: [HTTPRequest]) {
  let transport = ScriptedTransport(answers)
  let options = StorageOptions(onWarning: { warnings.add($0) })
  let reference = Storage.scripted(transport, options: options).reference(withPath: path)
  let result = await driving(transport) { try await reference.listAll() }
  return (result, transport.requests)
}

@Suite("Lists over the wire")
struct ListOperationTests {
  @Test("E06 E07: a whole list asks for a folder, without a page's size")
  func requests() async throws {
    let folder = await listed(at: "a/b", json("{}"))
    #expect(folder.requests.map(query) == [["prefix": "a/b/", "delimiter": "/"]])
    #expect(folder.requests.first?.url.path == "/v0/b/bucket/o")
    let root = await listed(json("{}"))
    #expect(root.requests.map(query) == [["delimiter": "/"]])
  }

  @Test("E08 D14: a page is asked for with its token, whatever is in it")
  func pageRequest() async throws {
    let transport = ScriptedTransport([json("{}")])
    let reference = Storage.scripted(transport).reference(withPath: "+é")
    _ = try await driving(transport) { try await reference.list(maxResults: 10, pageToken: "t+1") }.get()
    #expect(
      transport.requests.map(query)
        == [["prefix": "+é/", "delimiter": "/", "maxResults": "10", "pageToken": "t+1"]])
    #expect(transport.requests.first?.url.query?.contains("t%2B1") == true)
  }

  @Test("M01 M14: nothing there is an empty list", arguments: ["{}", #"{"items":[],"prefixes":[]}"#])
  func empty(answer: String) async throws {
    let list = try await listed(json(answer)).result.get()
    #expect(list.items.isEmpty && list.prefixes.isEmpty && list.pageToken == nil)
  }

  @Test("M02 M03 M04 M05: folders and objects are references; what has no name is left out")
  func content() async throws {
    let answer = #"{"prefixes":["a/b/","a/c"],"items":[{"name":"a/x","bucket":"bucket","n":5},{"bucket":"bucket"}]}"#
    let list = try await listed(at: "a", json(answer)).result.get()
    #expect(paths(list.prefixes) == ["a/b", "a/c"])
    #expect(paths(list.items) == ["a/x"])
    #expect(list.items[0].bucket == "bucket" && list.items[0].name == "x")
  }

  @Test("M06 M08 M24: a page has its token until the last one")
  func pages() async throws {
    let emulator = try StorageEmulator()
    for index in 1...5 { emulator.objects.put(testBucket, "f/\(index)", text: "x") }
    let folder = Storage.at(emulator).reference(withPath: "f")
    let first = try await folder.list(maxResults: 2)
    let second = try await folder.list(maxResults: 2, pageToken: try #require(first.pageToken))
    let third = try await folder.list(maxResults: 2, pageToken: try #require(second.pageToken))
    #expect([first, second, third].map { paths($0.items) } == [["f/1", "f/2"], ["f/3", "f/4"], ["f/5"]])
    #expect(third.pageToken == nil)
    #expect(try await folder.list(maxResults: 1).items.count == 1)
    #expect(try await folder.list(maxResults: 1_000).items.count == 5)
  }

  @Test(
    "M07: a page has from 1 to 1000 entries, or is not asked for", arguments: [0, -1, 1_001, .min, .max] as [Int64])
  func pageSizes(size: Int64) async throws {
    let emulator = try StorageEmulator()
    let folder = Storage.at(emulator).reference()
    let expected = StorageError.invalidArgument(
      message: "Argument 'maxResults' must be between 1 and 1000 inclusive.")
    #expect(try await storageError { try await folder.list(maxResults: size) } == expected)
    #expect(try await storageError { try await folder.list(maxResults: size, pageToken: "t") } == expected)
    var pages = folder.pages(maxResults: size).makeAsyncIterator()
    await #expect(throws: expected) { _ = try await pages.next() }
    #expect(emulator.log.isEmpty)
  }

  @Test("M09 M11: pages are joined in order, empty ones too, and each token is sent as it came")
  func joined() async throws {
    let list = await listed(
      json(#"{"items":[{"name":"a"}],"nextPageToken":"t1"}"#), json(#"{"nextPageToken":"t/2=="}"#),
      json(#"{"items":[{"name":"b"}]}"#))
    #expect(paths(try list.result.get().items) == ["a", "b"])
    #expect(list.requests.map { query($0)["pageToken"] } == [nil, "t1", "t/2=="])
  }

  @Test("M10 K14: an error on a later page is the only result", arguments: [500, 403])
  func laterError(status: Int) async throws {
    let transport = ScriptedTransport([
      json(#"{"items":[{"name":"a"}],"nextPageToken":"t1"}"#), .status(status),
    ])
    let reference = Storage.scripted(transport).reference()
    let calls = Collected<StorageErrorCode?>()
    _ = try await driving(transport) {
      await withCheckedContinuation { continuation in
        reference.listAll { list, error in
          calls.add(list == nil ? (error as? StorageError)?.code : nil)
          continuation.resume()
        }
      }
    }.get()
    #expect(calls.all == [status == 403 ? .unauthorized : .retryLimitExceeded])
  }

  @Test("M12: folders that come on every page are given once")
  func repeatedFolders() async throws {
    let list = await listed(
      json(#"{"prefixes":["p/"],"items":[{"name":"a"}],"nextPageToken":"t"}"#),
      json(#"{"prefixes":["p/","q/"],"items":[{"name":"b"}]}"#))
    #expect(paths(try list.result.get().prefixes) == ["p", "q"])
  }

  @Test("M13: a token that comes again ends the list")
  func repeatedToken() async throws {
    let list = await listed(json(#"{"items":[{"name":"a"}],"nextPageToken":"t"}"#))
    #expect(list.result.storageError?.code == .unknown)
    #expect(list.requests.count == 2)
  }

  @Test("M15: the service's Firebase names only")
  func hiddenNames() async throws {
    let emulator = try StorageEmulator()
    for name in ["foo/", "a//b", "ok"] { emulator.objects.put(testBucket, name, text: "x") }
    let list = try await Storage.at(emulator).reference().listAll()
    #expect(paths(list.items) == ["ok"])
  }

  @Test("M16: a name that this API would change is reported and never taken for another")
  func unaddressable() async throws {
    let warnings = Collected<String>()
    let list = await listed(json(#"{"items":[{"name":"/foo"},{"name":"bar"}]}"#), warnings: warnings)
    #expect(paths(try list.result.get().items) == ["bar"])
    #expect(warnings.all.count == 1 && warnings.all[0].contains("/foo"))
  }

  @Test("pages and their objects come when they are asked for")
  func sequences() async throws {
    let emulator = try StorageEmulator()
    for index in 1...5 { emulator.objects.put(testBucket, "f/\(index)", text: "x") }
    emulator.objects.put(testBucket, "f/sub/x", text: "x")
    let folder = Storage.at(emulator).reference(withPath: "f")
    var found: [String] = []
    for try await item in folder.pages(maxResults: 2).items { found.append(item.name) }
    #expect(found == ["1", "2", "3", "4", "5"])
    emulator.clearLog()
    for try await page in folder.pages(maxResults: 2) {
      #expect(page.items.count == 2)
      break
    }
    #expect(emulator.log.count == 1)
  }

  @Test("a sequence of pages is over after an error")
  func sequenceError() async throws {
    let transport = ScriptedTransport([.status(403)])
    let reference = Storage.scripted(transport).reference()
    let outcome = await driving(transport) {
      var pages = reference.pages().makeAsyncIterator()
      do {
        _ = try await pages.next()
      } catch {
        return try await pages.next() == nil
      }
      return false
    }
    #expect(try outcome.get())
  }
}
