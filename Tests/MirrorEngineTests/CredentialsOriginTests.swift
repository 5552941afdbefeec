// Who is sent what, as a table over URLs; nothing is asked.

@testable import Credentials
import MirrorPlan
import TestSupport
import Testing
import TransferModel

@testable import MirrorEngine

@Suite struct CredentialsOriginTests {
  static func credentials(
    _ auth: [AuthEntry], emulator: String? = nil, environment: [String: String] = ["T": "secret-token"],
    files: [String: String] = [:]
  ) throws -> RunCredentials {
    let transport = ScriptedTransport([])
    let variables: @Sendable (String) -> String? = { environment[$0] }
    return try RunCredentials(
      auth,
      environment: RunEnvironment(
        transport: transport, clocks: ManualClocks(), lookUp: variables,
        secrets: SecretReader.fake(files: files, environment: environment), host: "", pause: { _ in false }),
      manifestDirectory: "/m", emulator: try emulator.map { try Origin(parsing: $0) })
  }

  /// The fields for a URL, as text; "" for none.
  static func sent(_ credentials: RunCredentials, _ url: String) throws -> String {
    switch credentials.authorizer.authorization(for: try HTTPURL(parsing: url)) {
    case .none: ""
    case .mustRenew: "renew"
    case .ready(let fields): fields.all.map { "\($0.name): \($0.value)" }.joined(separator: "; ")
    }
  }

  static let google = AuthEntry.google(GoogleAuth(method: .token(.env("T"))))
  static let firebase = AuthEntry.firebase(FirebaseAuth(method: .idToken(.env("T")), appCheck: .env("T")))

  @Test(arguments: [
    ("https://storage.googleapis.com/b/o", true), ("https://firebasestorage.googleapis.com/v0/b/b/o/o", true),
    ("https://b.storage.googleapis.com/o", true), ("https://STORAGE.googleapis.com/b/o", true),
    ("http://storage.googleapis.com/b/o", false), ("https://storage.googleapis.com:8443/b/o", false),
    ("https://googleapis.com.evil.example/b/o", false), ("https://evilgoogleapis.com/b/o", false),
    ("https://storage.cloud.google.com/b/o", false), ("https://example.com/", false), ("http://127.0.0.1:9199/", false),
    ("https://storage.googleapis.com/b/o?X-Goog-Signature=abc", false),
    ("https://firebasestorage.googleapis.com/v0/b/b/o/o?alt=media&token=abc", false),
  ])
  func `a Google token goes to Google's storage over https, and not with signed links`(url: String, isSent: Bool) throws
  {
    let credentials = try Self.credentials([Self.google])
    #expect(try Self.sent(credentials, url) == (isSent ? "Authorization: Bearer secret-token" : ""))
  }

  @Test(arguments: [
    ("https://firebasestorage.googleapis.com/v0/b/b/o/o", true), ("https://storage.googleapis.com/b/o", false),
    ("http://firebasestorage.googleapis.com/v0/b/b/o/o", false), ("https://x.firebasestorage.googleapis.com/", false),
    ("https://firebasestorage.googleapis.com/v0/b/b/o/o?alt=media&token=abc", false),
  ])
  func `Firebase tokens go to Firebase's endpoint only`(url: String, isSent: Bool) throws {
    let credentials = try Self.credentials([Self.firebase])
    let both = "Authorization: Firebase secret-token; X-Firebase-AppCheck: secret-token"
    #expect(try Self.sent(credentials, url) == (isSent ? both : ""))
  }

  @Test func `with both, each service has its own`() throws {
    let credentials = try Self.credentials([Self.google, Self.firebase])
    #expect(try Self.sent(credentials, "https://storage.googleapis.com/b/o") == "Authorization: Bearer secret-token")
    #expect(
      try Self.sent(credentials, "https://firebasestorage.googleapis.com/v0/b/b/o/o")
        .hasPrefix("Authorization: Firebase secret-token"))
  }

  @Test(arguments: [
    ("http://127.0.0.1:9199", true), ("http://localhost:9199", true), ("http://[::1]:9199", true),
    ("https://emulator.example", true), ("http://emulator.example:9199", false), ("http://127.0.0.1.example", false),
  ])
  func `E13 E14 an emulator is sent tokens on this machine or over https, else they are withheld and it is said`(
    emulator: String, isSent: Bool
  ) throws {
    for (entry, word) in [(Self.google, "Google"), (Self.firebase, "Firebase")] {
      let credentials = try Self.credentials([entry], emulator: emulator)
      #expect(try Self.sent(credentials, emulator + "/b/o").isEmpty == !isSent)
      #expect(credentials.notes.isEmpty == isSent)
      #expect(credentials.notes.allSatisfy { $0.hasPrefix(word) && !$0.contains("secret-token") })
      // With an emulator, the real service is somebody else.
      #expect(try Self.sent(credentials, "https://firebasestorage.googleapis.com/v0/b/b/o/o").isEmpty)
    }
  }

  @Test func `S30 with an emulator neither default credentials nor the metadata server are used`() throws {
    for method in [GoogleAuth.Method.defaultCredentials, .metadataServer, .none] {
      let credentials = try Self.credentials(
        [.google(GoogleAuth(method: method))], emulator: "http://127.0.0.1:4443",
        environment: ["GOOGLE_APPLICATION_CREDENTIALS": "/missing"])
      #expect(try Self.sent(credentials, "http://127.0.0.1:4443/storage/v1/b/b/o/o").isEmpty)
    }
  }

  @Test func `S15 default credentials that can be nowhere are known to be missing before anything is asked`() throws {
    let thrown = try failure {
      _ = try Self.credentials(
        [.google(GoogleAuth(method: .defaultCredentials))], environment: ["NO_GCE_CHECK": "true"])
    }
    #expect(thrown.message == "default credentials were not found")
  }

  @Test func `credentials that others must be asked for are fetched with the first request`() throws {
    let credentials = try Self.credentials([.google(GoogleAuth(method: .defaultCredentials))], environment: [:])
    #expect(try Self.sent(credentials, "https://storage.googleapis.com/b/o") == "renew")
  }

  @Test func `a host's secret goes to exactly its scheme, host and port`() throws {
    let origin = try Origin(parsing: "https://a.example")
    let credentials = try Self.credentials([
      .host(
        HostAuth(origin: origin, credential: .header("X-Key", SecretReference(prefix: "k=", source: .environment("T"))))
      ),
      .host(HostAuth(origin: origin, credential: .basic(user: "Aladdin", .env("T")))),
    ])
    #expect(
      try Self.sent(credentials, "https://a.example/x?sig=y")
        == "X-Key: k=secret-token; Authorization: Basic QWxhZGRpbjpzZWNyZXQtdG9rZW4=")
    for url in ["http://a.example/x", "https://a.example:444/x", "https://b.a.example/x", "https://a.example.org/x"] {
      #expect(try Self.sent(credentials, url).isEmpty)
    }
  }

  @Test func `a netrc file is read for the host that asks for it, from where it is named`() throws {
    let origin = try Origin(parsing: "https://a.example")
    let netrc = "machine a.example login me password pw-from-netrc"
    for (path, environment, file) in [
      (nil, ["NETRC": "/n"], "/n"), (nil, ["HOME": "/h"], "/h/.netrc"), ("~/x", ["HOME": "/h"], "/h/x"),
      ("rel", [:], "/m/rel"), ("/abs", [:], "/abs"),
    ] as [(String?, [String: String], String)] {
      let credentials = try Self.credentials(
        [.host(HostAuth(origin: origin, credential: .netrc(path: path)))], environment: environment,
        files: [file: netrc])
      #expect(try Self.sent(credentials, "https://a.example/") == "Authorization: Basic bWU6cHctZnJvbS1uZXRyYw==")
      #expect(credentials.registry.redact("is pw-from-netrc") == "is REDACTED")
    }
    let thrown = try failure {
      _ = try Self.credentials(
        [.host(HostAuth(origin: try Origin(parsing: "https://b.example"), credential: .netrc(path: "/abs")))],
        files: ["/abs": netrc])
    }
    #expect(thrown.message == "a secret cannot be read: /abs has no login and password for b.example")
  }

  @Test(arguments: [
    ("machine h login u password p", "u", "p"), ("machine h\n\tlogin u\n\tpassword p\n", "u", "p"),
    ("machine x login a password b\nmachine H login u password p", "u", "p"),
    ("machine x login a password b default login d password e", "d", "e"),
    ("machine h login u password \"p q\\\"r\"", "u", "p q\"r"), ("machine h login u password #p", "u", "#p"),
    ("# machine h login no password no\nmachine h login u password p # end", "u", "p"),
    ("macdef init\nmachine h login no password no\n\nmachine h login u password p", "u", "p"),
    ("machine h login u account a password p", "u", "p"), ("machine h password p login u", "u", "p"),
  ])
  func `netrc files`(text: String, user: String, password: String) {
    let login = Netrc(text).login(for: "h")
    #expect(login?.user == user && login?.password == password)
  }

  @Test(arguments: [
    "", "machine", "machine h", "machine h login u", "machine x login u password p", "login u password p",
  ])
  func `netrc files without a login for the host`(text: String) {
    #expect(Netrc(text).login(for: "h") == nil)
  }
}
