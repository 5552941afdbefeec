import Glibc
import StorageEmulator
import Testing

/// The server as a whole: its log, its controls, its folder, its threads, its end.
struct ServerTests {
  @Test func `the log has targets undecoded and fields in order`() throws {
    let server = try StorageEmulator.holding("a b")
    _ = try server.ask("/v0/b/b/o/a%20b?x=a%2Bb", "X-One: 1", "x-two: 2", "X-One: 3")
    _ = try server.ask("/v0/b/b/o/none", method: "PATCH", body: "{}")
    _ = try server.ask("/_emulator/health")
    let log = server.log
    #expect(log.map(\.target) == ["/v0/b/b/o/a%20b?x=a%2Bb", "/v0/b/b/o/none"])
    #expect(log[0].fields.all.dropFirst().map { $0.name + "=" + $0.value } == ["X-One=1", "x-two=2", "X-One=3"])
    #expect(log.map(\.status) == [200, 404] && log.map(\.connection) == [1, 2])
    #expect(log[1].method == "PATCH" && log[1].body == Array("{}".utf8))
    server.clearLog()
    #expect(server.log.isEmpty)
  }

  @Test func `the log forgets the oldest`() throws {
    let server = try StorageEmulator(EmulatorConfiguration(logLimit: 4))
    let client = try RawClient(port: server.port)
    for number in 1...6 { _ = client.exchange("GET", "/b/\(number)") }
    #expect(server.log.last?.target == "/b/6" && server.log.last?.status == 404 && server.log.count <= 4)
  }

  @Test func `controls: health, faults, log, reset`() throws {
    var configuration = EmulatorConfiguration()
    configuration.faults = "put b kept text kept\non b/kept => header X-Fault: yes"
    let server = try StorageEmulator(configuration)
    #expect(try server.ask("/_emulator/health").text == #"{"status":"ok"}"#)
    let script = "put b more text more\non b/more => status 503"
    #expect(try server.ask("/_emulator/faults", method: "PUT", body: script).text == #"{"rules":1}"#)
    #expect(try server.ask("/b/more").status == 503)
    #expect(try server.ask("/b/kept")["X-Fault"] == nil)
    let refused = try server.ask("/_emulator/faults", method: "PUT", body: "on x => fly")
    #expect(refused.status == 400 && refused.text.hasPrefix("line 1: no action is called 'fly'"))
    let lines = try server.ask("/_emulator/log").text.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].contains(#""method":"GET","target":"/b/more","status":503"#))
    #expect(try server.ask("/_emulator/reset", method: "POST", body: "x").status == 200)
    #expect(try server.ask("/b/more").status == 404)
    #expect(try server.ask("/b/kept")["X-Fault"] == "yes")
    #expect(server.log.count == 2)
    #expect(try server.ask("/_emulator/other").status == 404)
  }

  @Test(arguments: [
    "/b/../outside.txt", "/b/%2E%2E/outside.txt", "/b/..%2Foutside.txt", "/v0/b/b/o/..%2Foutside.txt?alt=media",
    "/v0/b/..%2F/o/outside.txt?alt=media", "/v0/b/../o/outside.txt?alt=media", "/v0/b/./o/outside.txt?alt=media",
    "/b/link.txt", "/b/up/outside.txt", "/b//outside.txt", "/linked/outside.txt", "/b/a.txt/", "/b/./a.txt",
    "/b/a.txt%00", "/b/sub",
  ])
  func `nothing outside of the folder is served`(target: String) throws {
    let folder = try ScratchFolder()
    folder.write("outside.txt", "secret")
    folder.write("root/outside.txt", "secret")
    folder.write("root/b/a.txt", "fine")
    folder.write("root/b/sub/x", "x")
    symlink("../outside.txt", folder.path + "/root/b/link.txt")
    symlink("..", folder.path + "/root/b/up")
    symlink("..", folder.path + "/root/linked")
    let server = try StorageEmulator(EmulatorConfiguration(root: folder.path + "/root"))
    #expect(try server.ask("/b/a.txt").text == "fine")
    let response = try server.ask(target)
    #expect(response.status == 404 && !response.text.contains("secret"))
  }

  @Test func `files are served as they are at the time, with stable generations`() throws {
    let folder = try ScratchFolder()
    folder.write("x", "one")
    let server = try StorageEmulator(EmulatorConfiguration(buckets: ["b": folder.path]))
    let one = try server.ask("/b/x")
    #expect(one.text == "one")
    #expect(try server.ask("/b/x")["x-goog-generation"] == one["x-goog-generation"])
    folder.write("x", "three")
    let two = try server.ask("/b/x")
    #expect(two.text == "three" && two["x-goog-generation"] != one["x-goog-generation"])
    #expect(two["x-goog-hash"] != one["x-goog-hash"])
  }

  @Test func `large files arrive whole, and from the middle`() throws {
    let folder = try ScratchFolder()
    let line = "0123456789abcdef"
    folder.write("big", String(repeating: line, count: 100_000))
    let server = try StorageEmulator(EmulatorConfiguration(buckets: ["b": folder.path]))
    #expect(try server.ask("/b/big").body.count == 1_600_000)
    let part = try server.ask("/b/big", "Range: bytes=800000-1000015")
    #expect(part.body.count == 200_016 && part.text.hasPrefix(line) && part.text.hasSuffix(line))
  }

  @Test func `eight clients at once get what they asked for`() async throws {
    let server = try StorageEmulator(EmulatorConfiguration(threads: 4))
    for number in 0..<8 { server.objects.put("b", "\(number)", text: String(repeating: "\(number)", count: 5_000)) }
    let port = server.port
    let wrong = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<8 {
        group.addTask {
          let client = try RawClient(port: port)
          let expected = String(repeating: "\(number)", count: 5_000)
          return (0..<50).count { _ in client.exchange("GET", "/b/\(number)").text != expected }
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(wrong == 0)
    #expect(server.log.count == 400 && Set(server.log.map(\.connection)).count == 8)
    #expect(server.log.map(\.request.number) == Array(1...400))
  }

  @Test func `a stopped server gives its port back`() throws {
    let first = try StorageEmulator()
    let port = first.port
    #expect(throws: EmulatorFailure.self) { try StorageEmulator(EmulatorConfiguration(port: port)) }
    first.stop()
    first.stop()
    #expect(throws: RawClient.Refused.self) { try RawClient(port: port) }
    let second = try StorageEmulator(EmulatorConfiguration(port: port))
    #expect(second.port == port && second.url == "http://127.0.0.1:\(port)")
    #expect(try second.ask("/v0/").status == 200)
  }

  @Test func `only loopback is listened on, and bad addresses are refused`() throws {
    #expect(throws: EmulatorFailure.self) { try StorageEmulator(EmulatorConfiguration(host: "no.such.host.invalid")) }
    let six = try? StorageEmulator(EmulatorConfiguration(host: "::1"))
    if let six { #expect(six.url.hasPrefix("http://[::1]:")) }
  }
}
