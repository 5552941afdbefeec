// Proxies of the environment, as the program uses them. They are libcurl's business; here it is held to it.

import StorageEmulator
import TestSupport
import Testing

@Suite struct CredentialsProxyTests {
  private static func get(_ url: String, _ environment: [String: String]) async throws -> ChildResult {
    try await TestProgram.run(["get", "--retry-for", "0s", url, "-"], environment)
  }

  private static func server() throws -> StorageEmulator {
    let server = try StorageEmulator()
    server.objects.put("b", "x", text: "direct")
    return server
  }

  /// Nobody listens there.
  static let dead = "http://127.0.0.1:1"

  @Test(arguments: ["NO_PROXY", "no_proxy"], ["127.0.0.1,localhost", "localhost, 127.0.0.1", "*", "127.0.0.0/8"])
  func `P88 hosts that are to be reached without a proxy are`(variable: String, hosts: String) async throws {
    let server = try Self.server()
    let result = try await Self.get("\(server.url)/b/x", ["http_proxy": Self.dead, variable: hosts])
    #expect(result.outputText == "direct", "\(result.errorText)")
  }

  @Test(arguments: [[:], ["NO_PROXY": ""], ["NO_PROXY": "other.example"]])
  func `P88 other hosts are asked through the proxy`(environment: [String: String]) async throws {
    let server = try Self.server()
    let result = try await Self.get("\(server.url)/b/x", environment.merging(["http_proxy": Self.dead]) { $1 })
    #expect(result.status != 0)
    #expect(server.log.isEmpty)
  }

  @Test func `P88 HTTP_PROXY in capitals is not believed, as a web server's request could set it`() async throws {
    let server = try Self.server()
    let result = try await Self.get("\(server.url)/b/x", ["HTTP_PROXY": Self.dead])
    #expect(result.outputText == "direct")
  }

  @Test func `P88 a proxy that wants other credentials is final, and its password is not shown`() async throws {
    let proxy = try StorageEmulator()
    try proxy.play("on with Proxy-Authorization => status 407 body text \"no\"")
    let result = try await Self.get(
      "http://127.0.0.1:1/x", ["http_proxy": "http://user:proxy-pass-word@127.0.0.1:\(proxy.port)"])
    #expect(result.status == 3 || result.status == 7, "\(result.end)")
    let said = result.outputText + result.errorText
    #expect(said.contains("407") && said.contains("proxy"), "\(said)")
    #expect(!said.contains("proxy-pass-word"))
    #expect(proxy.log.count == 1)
  }
}
