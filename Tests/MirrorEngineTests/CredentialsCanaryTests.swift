// No secret leaves a run: a unique one in every place where a secret can be, failing in every way, looked for in all that
// the program says and writes.

import Foundation
import StorageEmulator
import TestSupport
import Testing
import TransferModel

@testable import Credentials

/// Secrets that occur nowhere else, with characters that percent-encoding and base64 change.
struct Canaries {
  private(set) var all: [String: String] = [:]

  mutating func make(_ name: String) -> String {
    let secret = "cnry-\(name)-Zq7+/x9~\(all.count)Wv3=k"
    all[name] = secret
    return secret
  }

  /// The secrets that `text` shows, in any spelling.
  func found(in text: String) -> [String] {
    all.filter { _, secret in Self.spellings(of: secret).contains { text.contains($0) } }.map(\.key).sorted()
  }

  private static func spellings(of secret: String) -> [String] {
    var spellings = [secret, PercentEncoding.encode(secret), PercentEncoding.encode(secret).lowercased()]
    for shift in 0..<3 {
      // Without the ends, which depend on what stands beside the secret.
      let encoded = Base64.encode([UInt8](repeating: 0x41, count: shift) + Array(secret.utf8))
      let middle = String(encoded.dropFirst(4).dropLast(4))
      spellings.append(middle)
      spellings.append(String(middle.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }))
    }
    return spellings
  }
}

/// One manifest over one emulator, run by the program in all its ways.
private struct CanaryRun {
  var canaries = Canaries()
  let emulator: StorageEmulator
  let folder: TemporaryDirectory
  var environment: [String: String] = [:]

  init() throws {
    emulator = try StorageEmulator()
    folder = try TemporaryDirectory()
    environment["HOME"] = folder.path
  }

  var host: String { "127.0.0.1:\(emulator.port)" }

  /// A text that echoes all secrets so far, as a careless server does: raw, percent-encoded and in base64.
  func echo(status: Int) -> String {
    let text = canaries.all.values.sorted().flatMap { secret in
      [secret, PercentEncoding.encode(secret), Base64.encode(Array("x \(secret) y".utf8))]
    }.joined(separator: " ")
    return "status \(status) body text \"you sent \(text)\""
  }

  static let everyWay = [
    ["check"], ["plan", "-v"], ["plan", "--json"], ["apply", "-v"], ["apply", "-v", "--log-format", "json"],
  ]

  /// Everything that the program said and left behind.
  func run(manifest: String, ways: [[String]] = [["plan", "--json"], ["apply", "-v"]]) async throws -> String {
    try folder.write(manifest, to: "m.yaml")
    var said = ""
    for arguments in ways {
      let result = try await TestProgram.run(
        arguments + (arguments[0] == "check" ? [] : ["--retry-for", "0s"]) + [folder.path("m.yaml")],
        environment, in: folder.path)
      said += "$ \(arguments.joined(separator: " ")): \(result.end)\n" + result.outputText + result.errorText
    }
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    where name.hasPrefix("out") || name.hasSuffix(".json") && !name.hasPrefix("key") {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: folder.path(name), isDirectory: &isFolder), !isFolder.boolValue
      else {
        continue
      }
      said += "\n# \(name)\n" + String(decoding: try folder.read(name), as: UTF8.self)
    }
    return said
  }
}

@Suite struct CredentialsCanaryTests {
  private static func manifest(_ auth: String, items: String, api: String, emulator: String) -> String {
    """
    version: 1
    root: out
    storage: {bucket: bucket, api: \(api), emulator: "\(emulator)"}
    auth:
    \(auth)
    items:
    \(items)
    report: {json: report.json}
    """
  }

  @Test(arguments: [400, 401, 403, 404, 500])
  func `P43 S28 secrets of hosts and links, echoed by the server with every kind of error`(status: Int) async throws {
    var run = try CanaryRun()
    run.environment["HEADER"] = run.canaries.make("header")
    run.environment["LINK"] = run.canaries.make("link")
    try run.folder.write(run.canaries.make("password") + "\n", to: "password.txt")
    try run.folder.write("machine localhost login me password \(run.canaries.make("netrc"))", to: ".netrc")
    let link = try #require(run.environment["LINK"])
    try run.emulator.play(
      """
      on target /loop => redirect 302 "/loop?token=\(PercentEncoding.encode(link))"
      on target /cut => cut 3
      put b cut text "long enough"
      on target /b/wrong => header "X-Echo: \(link)"
      put b wrong text "wrong content"
      on target /refused => \(run.echo(status: status))
      """)
    let said = try await run.run(
      manifest: Self.manifest(
        """
          - host: http://\(run.host)
            header: Authorization
            value: {prefix: "Bearer ", env: HEADER}
          - host: http://localhost:\(run.emulator.port)
            netrc: true
          - host: http://127.0.0.2:\(run.emulator.port)
            basic: {user: me, password: {file: password.txt}}
        """,
        items: """
            - {ref: "http://\(run.host)/refused?token=${LINK}", to: a}
            - {ref: "http://localhost:\(run.emulator.port)/refused?X-Goog-Signature=${LINK}", to: b}
            - {ref: "http://127.0.0.2:\(run.emulator.port)/refused?sig=${LINK}", to: c}
            - {ref: "http://\(run.host)/loop", to: d}
            - {ref: "http://\(run.host)/b/wrong?token=${LINK}", to: e, md5: 00000000000000000000000000000000}
            - {ref: "http://127.0.0.1:1/gone?token=${LINK}", to: f}
          """, api: "firebase", emulator: run.host),
      ways: status == 403 ? CanaryRun.everyWay : [["apply", "-v"]])
    #expect(run.canaries.found(in: said) == [], "\(said)")
    #expect(said.contains("REDACTED"))
    #expect(!run.emulator.log.isEmpty)
    let line = try await TestProgram.commandLine(
      ["apply", "-v", "--retry-for", "0s", run.folder.path("m.yaml")], run.environment, in: run.folder.path)
    #expect(line.contains("m.yaml"))
    #expect(run.canaries.found(in: line) == [], "\(line)")
  }

  @Test(arguments: ["refresh_token", "custom_token", "password", "id_token"])
  func `P43 S28 secrets of a Firebase sign-in, echoed by its service and by storage`(way: String) async throws {
    var run = try CanaryRun()
    run.environment["SECRET"] = run.canaries.make("secret")
    run.environment["FIREBASE_API_KEY"] = run.canaries.make("key")
    run.environment["CHECK"] = run.canaries.make("app-check")
    run.environment["FIREBASE_AUTH_EMULATOR_HOST"] = run.host
    let email = way == "password" ? "email: a@b.example, " : ""
    let manifest = Self.manifest(
      "  - firebase: {\(email)\(way): {env: SECRET}}\n    app_check: {env: CHECK}",
      items: "  - {ref: a, to: a}\n  - {ref: b, to: b}", api: "firebase", emulator: run.host)
    // First the service of sign-ins refuses, then storage does.
    try run.emulator.play("on POST => \(run.echo(status: 400))")
    var said = try await run.run(manifest: manifest)
    let (idToken, refreshToken) = (run.canaries.make("id-token"), run.canaries.make("next-refresh"))
    let signedIn = """
      {"idToken": "\(idToken)", "id_token": "\(idToken)", "refreshToken": "\(refreshToken)",
       "refresh_token": "\(refreshToken)", "expiresIn": "3600"}
      """.replacing("\n", with: "")
    try run.emulator.play(
      TokenScript.answers("/", [signedIn]) + "on GET => \(run.echo(status: 401))\n")
    said += try await run.run(manifest: manifest)
    #expect(run.canaries.found(in: said) == [], "\(said)")
    // A token that is given is just read again; nobody's words are shown.
    #expect(way == "id_token" || said.contains("REDACTED"))
    #expect(run.emulator.log.contains { $0.fields["X-Firebase-AppCheck"] != nil })
  }

  @Test func `P43 S28 secrets of Google credentials, echoed by every service on the way`() async throws {
    var run = try CanaryRun()
    let subject = run.canaries.make("subject")
    try run.folder.write(#"{"value": "\#(subject)"}"#, to: "subject-token")
    let key = """
      {"type": "external_account", "audience": "//iam", "subject_token_type": "jwt",
       "token_url": "http://\(run.host)/sts", "client_id": "client", "client_secret": "\(run.canaries.make("client"))",
       "service_account_impersonation_url": "http://\(run.host)/imp:generateAccessToken",
       "credential_source": {"file": "\(run.folder.path("subject-token"))",
                             "format": {"type": "json", "subject_token_field_name": "value"}}}
      """
    try run.folder.write(key, to: "key.json")
    let manifest = Self.manifest(
      "  - google: {credentials: {file: key.json}}\n    token_origins: [\"http://\(run.host)\"]",
      items: "  - {ref: a, to: a}", api: "gcs", emulator: run.host)
    // A service can echo only what it was sent, so each token comes with the service that gives it.
    try run.emulator.play("on POST => \(run.echo(status: 400))")
    var said = try await run.run(manifest: manifest)
    let sts = run.canaries.make("sts")
    let first = TokenScript.answers("/sts", [#"{"access_token": "\#(sts)", "expires_in": 3600}"#])
    try run.emulator.play(first + "on POST target /imp => \(run.echo(status: 403))")
    said += try await run.run(manifest: manifest)
    let access = run.canaries.make("access")
    let second = #"{"accessToken": "\#(access)", "expireTime": "2100-01-01T00:00:00Z"}"#
    try run.emulator.play(first + TokenScript.answers("/imp", [second]) + "on GET => \(run.echo(status: 403))")
    said += try await run.run(manifest: manifest)
    #expect(run.canaries.found(in: said) == [], "\(said)")
    #expect(said.contains("REDACTED"))
    #expect(run.emulator.log.contains { $0.fields["Authorization"] == "Bearer \(access)" })
  }

  @Test func `P43 S28 broken credential files are refused without their values`() async throws {
    var run = try CanaryRun()
    let key = try TestKey()
    let secret = run.canaries.make("broken")
    for json in [
      #"{"type": "service_account", "private_key": "\#(secret)", "client_email": "\#(secret)", "token_uri": "https://oauth2.googleapis.com/token"}"#,
      #"{"type": "authorized_user", "client_id": "\#(secret)", "client_secret": "\#(secret)"}"#,
      #"{"type": "\#(secret)"}"#, "\(secret) is no JSON", #"{"type": ["\#(secret)"]}"#,
      CredentialsGoogleTests.serviceAccount(key, tokenURI: "https://evil.example/\(secret)"),
    ] {
      try run.folder.write(json, to: "key.json")
      let said = try await run.run(
        manifest: Self.manifest(
          "  - google: {service_account: {file: key.json}}", items: "  - {ref: a, to: a}", api: "gcs",
          emulator: run.host)
      )
      #expect(run.canaries.found(in: said) == [], "\(said)")
      #expect(said.contains("key.json"))
    }
    #expect(run.emulator.log.isEmpty)
  }

  @Test func `the canaries would be found`() {
    var canaries = Canaries()
    let secret = canaries.make("x")
    for text in [secret, "a=\(PercentEncoding.encode(secret))&", Base64.encode(Array("me:\(secret)".utf8))] {
      #expect(canaries.found(in: "before \(text) after") == ["x"])
    }
    #expect(canaries.found(in: "nothing") == [])
  }
}
