import CurlTransport
import TestSupport
import Testing
import TransferModel

/// `HTTPTransport.collect`, over the real transport.
@Suite struct CollectTests {
  @Test(arguments: [(6, "hello", false), (5, "hello", false), (4, "hell", true), (0, "", true)])
  func `a body is taken up to the limit`(_ limit: Int64, _ body: String, _ isCut: Bool) async throws {
    try await withServer(serving: answering(ok("hello"))) { transport, server in
      let response = await transport.collect(HTTPRequest(.get, server.url("/")), limit: ByteCount(limit))
      #expect(response.head?.status == 200)
      #expect(String(decoding: response.body, as: UTF8.self) == body)
      #expect(response.bodyWasCut == isCut)
      if case .aborted = response.end.result { #expect(isCut) } else { #expect(!isCut) }
    }
  }

  @Test func `cancelling the task cancels the exchange`() async throws {
    let asked = Gate()
    try await withServer(serving: { connection in
      guard connection.readRequest() != nil else { return }
      asked.open()
      connection.waitForClose()
    }) { transport, server in
      let task = Task { await transport.collect(HTTPRequest(.get, server.url("/")), limit: 10) }
      asked.wait()
      task.cancel()
      guard case .cancelled = await task.value.end.result else {
        Issue.record("not cancelled")
        return
      }
    }
  }

  @Test func `a task that is cancelled before sends nothing`() async throws {
    try await withServer(serving: answering(ok("x"))) { transport, server in
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return await transport.collect(HTTPRequest(.get, server.url("/")), limit: 10)
      }
      guard case .cancelled = await task.value.end.result else {
        Issue.record("not cancelled")
        return
      }
      #expect(server.connectionCount == 0)
    }
  }

  @Test func `a transport that is shut down answers with cancelled`() async throws {
    try await withServer(serving: { $0.waitForClose() }) { transport, server in
      async let running = transport.collect(HTTPRequest(.get, server.url("/")), limit: 10)
      transport.shutdown()
      let late = await transport.collect(HTTPRequest(.get, server.url("/")), limit: 10)
      for end in await [running.end, late.end] {
        guard case .cancelled = end.result else {
          Issue.record("not cancelled: \(end)")
          continue
        }
      }
    }
  }
}
