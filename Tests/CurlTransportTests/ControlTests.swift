import CurlTransport
import TestSupport
import Testing
import TransferModel

/// Pausing, stopping, cancelling, timers and shutting down.
@Suite struct ControlTests {
  private static let megabyte = String(repeating: "0123456789abcdef", count: 65_536)

  @Test func `after a pause nothing comes until the body is resumed`() async throws {
    try await withServer(serving: answering(ok(Self.megabyte))) { transport, server in
      let log = Collected<String>()
      let script = Script(onBytes: { recorder, loop in
        log.append("bytes")
        loop.schedule(after: .milliseconds(1)) {
          log.append("resume")
          loop.resumeBody(of: recorder.id)
        }
        return .pause
      })
      let seen = await transport.observe(HTTPRequest(.get, server.url("/")), script)
      #expect(seen.outcome == "complete")
      #expect(seen.text == Self.megabyte)
      // Strictly by turns, to the last piece: the end waits as well.
      #expect(log.all.count > 2)
      for (index, entry) in log.all.enumerated() { #expect(entry == (index % 2 == 0 ? "bytes" : "resume")) }
      #expect(log.all.last == "resume")
    }
  }

  @Test func `a pause at the head holds the body back`() async throws {
    try await withServer(serving: answering(ok("hello"))) { transport, server in
      let log = Collected<String>()
      let script = Script(
        onHead: { recorder, loop in
          loop.schedule(after: .milliseconds(20)) {
            log.append("resume")
            loop.resumeBody(of: recorder.id)
          }
          return .pause
        },
        onBytes: { _, _ in
          log.append("bytes")
          return .proceed
        })
      let seen = await transport.observe(HTTPRequest(.get, server.url("/")), script)
      #expect(seen.text == "hello")
      #expect(log.all == ["resume", "bytes"])
    }
  }

  @Test(arguments: ["head", "bytes"], ["stop", "cancel"])
  func `an exchange can be ended from its own callbacks`(_ place: String, _ way: String) async throws {
    try await withServer(serving: answering(ok(Self.megabyte))) { transport, server in
      let act: @Sendable (Recorder, any TransferLoop) -> BodyVerdict = { recorder, loop in
        if way == "stop" { return .stop }
        loop.cancel(recorder.id)
        #expect(recorder.observed.end == nil)
        return .proceed
      }
      let script = place == "head" ? Script(onHead: act) : Script(onBytes: act)
      let seen = await transport.observe(HTTPRequest(.get, server.url("/")), script)
      #expect(seen.outcome == (way == "stop" ? "aborted" : "cancelled"))
      #expect(seen.events == (place == "head" ? ["head", "end"] : ["head", "bytes", "end"]))
      #expect(Int64(seen.body.count) == seen.end?.bytesReceived)
      #expect(seen.body.count < Self.megabyte.utf8.count)
    }
  }

  @Test(arguments: ["paused", "after resuming"])
  func `a paused exchange can be cancelled`(_ moment: String) async throws {
    try await withServer(serving: answering(ok(Self.megabyte))) { transport, server in
      let script = Script(onBytes: { recorder, loop in
        loop.schedule(after: .zero) {
          if moment != "paused" { loop.resumeBody(of: recorder.id) }
          loop.cancel(recorder.id)
          #expect(recorder.observed.end != nil)
        }
        return .pause
      })
      #expect(await transport.observe(HTTPRequest(.get, server.url("/")), script).outcome == "cancelled")
    }
  }

  @Test func `a stop while held-back bytes are handed out ends the exchange`() async throws {
    try await withServer(serving: answering(ok(Self.megabyte))) { transport, server in
      let script = Script(onBytes: { recorder, loop in
        guard recorder.observed.body.count < 100_000 else { return .stop }
        loop.schedule(after: .zero) { loop.resumeBody(of: recorder.id) }
        return .pause
      })
      #expect(await transport.observe(HTTPRequest(.get, server.url("/")), script).outcome == "aborted")
    }
  }

  @Test func `cancelling before the request is sent ends at once, and once`() async throws {
    try await withServer(serving: answering(ok("x"))) { transport, server in
      let script = Script(onStart: { recorder, loop in
        #expect(recorder.observed.end == nil)
        loop.cancel(recorder.id)
        #expect(recorder.observed.end != nil)
        loop.cancel(recorder.id)
      })
      let seen = await transport.observe(HTTPRequest(.get, server.url("/")), script)
      #expect(seen.outcome == "cancelled")
      #expect(seen.events == ["end"])
      // Its place is free again.
      #expect(await transport.observe(HTTPRequest(.get, server.url("/"))).outcome == "complete")
      #expect(server.connectionCount == 1)
    }
  }

  @Test func `cancelling after the end has no effect`() async throws {
    try await withServer(serving: answering(ok("x"))) { transport, server in
      let script = Script(onEnd: { recorder, loop in
        loop.cancel(recorder.id)
        loop.resumeBody(of: recorder.id)
      })
      let seen = await transport.observe(HTTPRequest(.get, server.url("/")), script)
      #expect(seen.events == ["head", "bytes", "end"])
    }
  }

  @Test func `an exchange can be cancelled from the callback of another`() async throws {
    let other = Collected<Observed>()
    try await withServer(serving: { connection in
      while let request = connection.readRequest() {
        if request.target == "/silent" { return connection.waitForClose() }
        connection.write(ok(Self.megabyte))
      }
    }) { transport, server in
      let id = await transport.onLoop { loop in
        loop.start(patient(server.url("/silent")), delivering: Recorder { other.append($0) })
      }
      let script = Script(onBytes: { _, loop in
        loop.cancel(id)
        #expect(other.all.map(\.outcome) == ["cancelled"])
        return .proceed
      })
      let seen = await transport.observe(HTTPRequest(.get, server.url("/")), script)
      #expect(seen.outcome == "complete")
      #expect(other.all.count == 1)
      #expect(await transport.observe(HTTPRequest(.get, server.url("/"))).outcome == "complete")
    }
  }

  @Test func `the next exchange can be started from the end of one`() async throws {
    try await withServer(slots: 1, serving: answering(ok("x"))) { transport, server in
      let seen: Observed = await withCheckedContinuation { continuation in
        transport.run(onLoop: 0) { loop in
          let first = Recorder(
            Script(onEnd: { _, loop in
              let second = Recorder { continuation.resume(returning: $0) }
              loop.start(HTTPRequest(.get, server.url("/2")), delivering: second)
            }))
          loop.start(HTTPRequest(.get, server.url("/1")), delivering: first)
        }
      }
      #expect(seen.outcome == "complete")
      #expect(seen.end?.connectionWasReused == true)
    }
  }

  @Test func `a handler is let go after the end`() async throws {
    try await withServer(serving: answering(ok("x"))) { transport, server in
      let isGone = await withCheckedContinuation { continuation in
        transport.run(onLoop: 0) { loop in
          weak var weakly: Recorder?
          let recorder = Recorder { _ in
            loop.schedule(after: .zero) { continuation.resume(returning: weakly == nil) }
          }
          weakly = recorder
          loop.start(HTTPRequest(.get, server.url("/")), delivering: recorder)
        }
      }
      #expect(isGone)
    }
  }

  @Test func `timers fire in order, and not when cancelled`() async throws {
    let transport = try CurlTransport(CurlTransport.Configuration(userAgent: "mirror/test", loopCount: 1))
    defer { transport.shutdown() }
    let fired = Collected<Int>()
    await withCheckedContinuation { continuation in
      transport.run(onLoop: 0) { loop in
        let begin = loop.now
        loop.schedule(after: .milliseconds(30)) {
          fired.append(30)
          #expect(loop.now - begin >= .milliseconds(30))
          continuation.resume()
        }
        let cancelled = loop.schedule(after: .milliseconds(10)) { fired.append(10) }
        loop.schedule(after: .milliseconds(5)) {
          fired.append(5)
          loop.cancel(cancelled)
        }
        loop.schedule(after: .zero) { fired.append(0) }
        loop.schedule(after: .milliseconds(5)) { fired.append(6) }
      }
    }
    #expect(fired.all == [0, 5, 6, 30])
  }

  @Test func `shutting down cancels everything, also what is started meanwhile`() async throws {
    let ends = Collected<String>()
    try await withServer(
      loops: 2, perHost: 2,
      serving: { connection in
        guard connection.readRequest() != nil else { return }
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
        connection.waitForClose()
      }
    ) { transport, server in
      for index in 0..<2 {
        await transport.onLoop(index) { loop in
          for number in 0..<5 {
            let script = Script(onEnd: { _, loop in
              guard number == 0 else { return }
              let late = Recorder { ends.append("late " + $0.outcome) }
              loop.start(patient(server.url("/")), delivering: late)
            })
            loop.start(patient(server.url("/")), delivering: Recorder(script) { ends.append($0.outcome) })
          }
          loop.schedule(after: .seconds(60)) { ends.append("timer") }
        }
      }
      transport.shutdown()
      transport.shutdown()
      #expect(ends.all.sorted() == Array(repeating: "cancelled", count: 10) + ["late cancelled", "late cancelled"])
      transport.run(onLoop: 0) { _ in ends.append("work") }
      #expect(ends.all.count == 12)
    }
  }

  @Test func `a loop's index is taken modulo the number of loops`() async throws {
    let transport = try CurlTransport(CurlTransport.Configuration(userAgent: "mirror/test", loopCount: 3))
    defer { transport.shutdown() }
    #expect(transport.loopCount == 3)
    for (index, place) in [(0, 0), (2, 2), (3, 0), (7, 1), (-1, 2)] {
      #expect(await transport.onLoop(index) { $0.index } == place)
    }
  }

  @Test func `a transport can be let go on its own thread`() async throws {
    var transport: CurlTransport? = try CurlTransport(
      CurlTransport.Configuration(userAgent: "mirror/test", loopCount: 2))
    weak let remains = transport
    let isLast = Gate()
    transport?.run(onLoop: 0) { [transport] _ in
      isLast.wait()
      _ = transport?.loopCount
    }
    transport = nil
    isLast.open()
    for _ in 0..<1_000 where remains != nil { try await Task.sleep(for: .milliseconds(1)) }
    #expect(remains == nil)
  }
}
