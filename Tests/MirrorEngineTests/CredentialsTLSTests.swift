// Hosts with their own authority, client certificate or proxy, by the program over real servers.

import StorageEmulator
import TestSupport
import Testing

@Suite struct CredentialsTLSTests {
  /// Applies a manifest with one host entry and one item; what came, and what was said.
  private static func apply(
    _ entry: String, url: String, in folder: TemporaryDirectory, environment: [String: String] = [:]
  ) async throws -> (content: String?, result: ChildResult) {
    try folder.write(
      """
      version: 1
      root: out
      auth:
        - \(entry.split(separator: "\n").joined(separator: "\n    "))
      items:
        - {ref: "\(url)", to: x}
      """, to: "m.yaml")
    let result = try await TestProgram.run(
      ["apply", "--retry-for", "0s", folder.path("m.yaml")], environment)
    return (try? folder.readText("out/x"), result)
  }

  @Test(.enabled(if: NginxServer.isAvailable, "nginx is not installed"))
  func `a private authority is trusted for its host, and for no other`() async throws {
    let folder = try TemporaryDirectory()
    try folder.write("private", to: "www/x")
    let server = try NginxServer(serving: folder.path("www"), scheme: .https)
    let authority = try #require(server.certificate).certificatePath
    let url = "https://localhost:\(server.port)/x"
    let trusted = try await Self.apply(
      "host: localhost:\(server.port)\ntls: {ca: \(authority)}", url: url, in: folder)
    #expect(trusted.content == "private", "\(trusted.result.errorText)")
    let fresh = try TemporaryDirectory()
    let other = try await Self.apply("host: 127.0.0.1:\(server.port)\ntls: {ca: \(authority)}", url: url, in: fresh)
    #expect(other.content == nil)
    #expect(other.result.errorText.contains("[certificate]"), "\(other.result.errorText)")
  }

  @Test(.enabled(if: NginxServer.isAvailable, "nginx is not installed"))
  func `a client certificate is shown to its host`() async throws {
    let folder = try TemporaryDirectory()
    let client = try SelfSignedCertificate(in: folder, named: "client")
    try folder.write("for members", to: "www/x")
    var snippets = NginxServer.Snippets()
    snippets.server = "ssl_verify_client on; ssl_client_certificate \(client.certificatePath);"
    let server = try NginxServer(serving: folder.path("www"), scheme: .https, snippets: snippets)
    let authority = try #require(server.certificate).certificatePath
    let (url, host) = ("https://localhost:\(server.port)/x", "host: localhost:\(server.port)\n")
    let stranger = try await Self.apply(host + "tls: {ca: \(authority)}", url: url, in: folder)
    #expect(stranger.content == nil)
    let member = try await Self.apply(
      host + "tls: {ca: \(authority), cert: client.crt, key: client.key}", url: url, in: folder)
    #expect(member.content == "for members", "\(member.result.errorText)")
  }

  @Test func `the proxy of a host wins over the environment, and so does none`() async throws {
    let (proxy, server) = (try StorageEmulator(), try StorageEmulator())
    try proxy.play("on => status 200 body text \"by proxy\"")
    server.objects.put("b", "x", text: "direct")
    let url = "\(server.url)/b/x"
    let host = "host: http://127.0.0.1:\(server.port)\n"
    let through = try await Self.apply(
      host + "proxy: 127.0.0.1:\(proxy.port)", url: url, in: try TemporaryDirectory(),
      environment: ["no_proxy": "*", "http_proxy": "http://127.0.0.1:1"])
    #expect(through.content == "by proxy", "\(through.result.errorText)")
    let direct = try await Self.apply(
      host + "proxy: none", url: url, in: try TemporaryDirectory(),
      environment: ["http_proxy": "http://127.0.0.1:\(proxy.port)"])
    #expect(direct.content == "direct", "\(direct.result.errorText)")
  }
}
