// Lists of Google's API against an independent server. Conformance rows M17 to M25.

import CloudStorage
import CurlTransport
import FileTransfer
import StorageCore
import TestSupport
import Testing
import TransferModel

@Suite("Lists of Google's API", .enabled(if: FakeGCSServer.isAvailable, "\(FakeGCSServer.howToGet)"))
struct GoogleListTests {
  /// The pages of a list of one folder.
  private static func pages(
    _ server: FakeGCSServer, _ bucket: String, prefix: String, maxResults: Int? = nil
  ) async throws -> [ObjectListPage] {
    let service = ObjectService(
      .google, origin: Origin(scheme: .http, host: "127.0.0.1", port: server.port))
    let transport = try CurlTransport(CurlTransport.Configuration(userAgent: "test", loopCount: 1))
    let services = TransferServices(transport: transport, clocks: SystemClocks(), redact: { $0 })
    var cursor = ListCursor(expectsOrder: true)
    var pages: [ObjectListPage] = []
    while !cursor.isComplete {
      let request = service.list(bucket: bucket, prefix: prefix, pageToken: cursor.token, maxResults: maxResults)
      let page = try ObjectListPage(parsing: try await services.fetch(DocumentSpec(request)).bytes, api: .google)
      try cursor.accept(page)
      pages.append(page)
    }
    return pages
  }

  private static func server(_ names: [String]) throws -> FakeGCSServer {
    let server = try FakeGCSServer()
    try server.makeBucket("bucket")
    for name in names { try server.upload(Array("x".utf8), to: name, in: "bucket") }
    return server
  }

  @Test("M17 M18 M19: a folder's objects and folders, the placeholder of the folder among them")
  func folders() async throws {
    let server = try Self.server([
      "file01.txt", "parent/", "parent/file11.txt", "parent/child/file21.txt", "parent/child/file22.txt",
      "parent/child/grand/file31.txt", "parent/child/other/file32.txt",
    ])
    for (prefix, items, prefixes) in [
      ("", ["file01.txt"], ["parent/"]), ("parent/", ["parent/", "parent/file11.txt"], ["parent/child/"]),
      (
        "parent/child/", ["parent/child/file21.txt", "parent/child/file22.txt"],
        ["parent/child/grand/", "parent/child/other/"]
      ),
    ] {
      let pages = try await Self.pages(server, "bucket", prefix: prefix)
      #expect(pages.flatMap { $0.items.map(\.name.text) } == items)
      #expect(pages.flatMap { $0.prefixes.map(\.text) } == prefixes)
      #expect(pages.allSatisfy { $0.problems.isEmpty })
    }
  }

  @Test("M24 M25: pages of two, in byte order, the last one without a token")
  func pages() async throws {
    let server = try Self.server(["a", "B", "é", "z", "b"])
    let pages = try await Self.pages(server, "bucket", prefix: "", maxResults: 2)
    #expect(pages.map { $0.items.map(\.name.text) } == [["B", "a"], ["b", "z"], ["é"]])
    #expect(pages.last?.nextPageToken == nil)
  }
}
