// `auth:` of the manifest: what it means, and what is wrong with it.

import ManifestYAML
import MirrorPlan
import Testing
import TransferModel

@Suite struct AuthSectionTests {
  private func auth(_ entry: String) -> ManifestFile {
    load(
      "version: 1\nroot: out\nitems: []\nauth:\n  - " + entry.split(separator: "\n").joined(separator: "\n    ") + "\n")
  }

  private func entry(_ text: String) throws -> AuthEntry {
    let file = auth(text)
    let manifest = try #require(file.manifest, "\(file.lines)")
    return try #require(manifest.auth.first)
  }

  private static func env(_ name: String) -> SecretReference { SecretReference(source: .environment(name)) }

  @Test func `google entries`() throws {
    let rows: [(String, GoogleAuth)] = [
      ("google: adc", GoogleAuth(method: .defaultCredentials)),
      ("google: metadata", GoogleAuth(method: .metadataServer)),
      ("google: none", GoogleAuth(method: .none)),
      ("google: {service_account: {file: k.json}}", GoogleAuth(method: .credentialFile("k.json"))),
      ("google: {credentials: {file: w.json}}", GoogleAuth(method: .credentialFile("w.json"))),
      ("google: {token: {env: T}}", GoogleAuth(method: .token(Self.env("T")))),
      (
        "google: adc\nuser_project: p\ntoken_origins: [sts.example, 'http://127.0.0.1:1']",
        GoogleAuth(
          method: .defaultCredentials, userProject: "p",
          tokenOrigins: [
            Origin(scheme: .https, host: "sts.example"), Origin(scheme: .http, host: "127.0.0.1", port: 1),
          ])
      ),
    ]
    for (text, meaning) in rows { #expect(try entry(text) == .google(meaning), "\(text)") }
  }

  @Test func `firebase entries`() throws {
    let rows: [(String, FirebaseAuth)] = [
      ("firebase: anonymous", FirebaseAuth(method: .anonymous)),
      ("firebase: {anonymous: true, api_key: {env: K}}", FirebaseAuth(method: .anonymous, apiKey: Self.env("K"))),
      (
        "firebase: none\napp_check: {file: c}",
        FirebaseAuth(method: .none, appCheck: SecretReference(source: .file("c")))
      ),
      ("firebase: {id_token: {env: T}}", FirebaseAuth(method: .idToken(Self.env("T")))),
      (
        "firebase: {refresh_token: {env: T}, api_key: {env: K}}",
        FirebaseAuth(method: .refreshToken(Self.env("T")), apiKey: Self.env("K"))
      ),
      ("firebase: {custom_token: {env: T}}", FirebaseAuth(method: .customToken(Self.env("T")))),
      (
        "firebase: {email: a@b.example, password: {env: P}}",
        FirebaseAuth(method: .password(email: "a@b.example", Self.env("P")))
      ),
    ]
    for (text, meaning) in rows { #expect(try entry(text) == .firebase(meaning), "\(text)") }
  }

  @Test func `host entries`() throws {
    let origin = Origin(scheme: .https, host: "a.example")
    let rows: [(String, HostAuth.Credential)] = [
      (
        "header: X-Key\nvalue: {prefix: 'k ', env: T}",
        .header("X-Key", SecretReference(prefix: "k ", source: .environment("T")))
      ),
      ("basic: {user: me, password: {env: P}}", .basic(user: "me", Self.env("P"))),
      ("netrc: true", .netrc(path: nil)),
      ("netrc: ~/.netrc-mirror", .netrc(path: "~/.netrc-mirror")),
    ]
    for (text, meaning) in rows {
      #expect(try entry("host: a.example\n" + text) == .host(HostAuth(origin: origin, credential: meaning)), "\(text)")
    }
  }

  @Test func `a host may be reached in a way of its own, with or without a credential`() throws {
    let origin = Origin(scheme: .https, host: "a.example")
    #expect(
      try entry("host: a.example\ntls: {ca: ca.pem, cert: c.pem, key: k.pem}\nproxy: p.example:3128")
        == .host(
          HostAuth(
            origin: origin, credential: nil,
            tls: HostAuth.TLSFiles(authority: "ca.pem", certificate: "c.pem", key: "k.pem"),
            proxy: .via(Origin(scheme: .http, host: "p.example", port: 3128)))))
    #expect(
      try entry("host: a.example\nnetrc: true\nproxy: none")
        == .host(HostAuth(origin: origin, credential: .netrc(path: nil), proxy: .direct)))
  }

  @Test(arguments: [
    ("google: adc", "", StorageSettings.API.gcs), ("google: none", "", .gcs), ("firebase: anonymous", "", .firebase),
    ("host: h\n    netrc: true", "", .firebase), ("google: adc", "storage: {api: firebase}", .firebase),
    ("firebase: none", "storage: {api: gcs}", .gcs),
  ])
  func `the API follows from the credentials unless it is named`(
    entry: String, storage: String, api: StorageSettings.API
  ) {
    let file = load("version: 1\nroot: o\nitems: []\n\(storage)\nauth:\n  - \(entry)\n")
    #expect(file.manifest?.storage.api == api, "\(file.lines)")
  }

  @Test(arguments: [
    ("google: gcloud", "`google` is `adc`, `metadata` or `none`, not `gcloud`"),
    ("google: adc\nfirebase: none", "an entry of `auth` is for exactly one of `google`, `firebase` and `host`"),
    ("header: X\nvalue: {env: T}", "an entry of `auth` is for exactly one of `google`, `firebase` and `host`"),
    ("google: {}", "`google` takes exactly one of `service_account`, `credentials`, `token`"),
    ("google: {token: {env: T}, credentials: {file: f}}", "`google` takes exactly one of"),
    ("google: {service_account: {env: KEY}}", "`service_account` is read from a file"),
    ("google: {token: {env: T, prefix: x}}", "`prefix` goes with the `value` of a `header`"),
    ("google: adc\napp_check: {env: C}", "`app_check` goes with `firebase`"),
    ("google: adc\nheader: X", "`header` goes with `host`"),
    ("google: adc\ntoken_origins: ['http://sts.example']", "the secret would cross the network in clear"),
    ("firebase: none\nuser_project: p", "`user_project` goes with `google`"),
    ("firebase: {email: a@b.example}", "`email` goes with a `password`"),
    ("firebase: {password: {env: P}}", "`password` goes with an `email`"),
    ("firebase: {anonymous: false}", "`anonymous` is true or left out"),
    ("host: h\ntls: {}", "`tls` names no file"), ("host: h\ntls: {key: k}", "`key` goes with a `cert`"),
    ("host: 'http://127.0.0.1'\ntls: {ca: c}", "`tls` is for https hosts"),
    ("host: h\nproxy: 'http://user:pw@p.example:1'", "`proxy` is a host and a port, and nothing else"),
    ("google: adc\nproxy: none", "`proxy` goes with `host`"),
    ("host: h", "a `host` takes exactly one of `header` with `value`, `basic`, and `netrc`"),
    ("host: h\nheader: X", "an entry of `auth` for a `host` lacks `value`"),
    ("host: h\nnetrc: true\nheader: X\nvalue: {env: T}", "a `host` takes exactly one of"),
    ("host: h\nnetrc: false", "`netrc` is true or a path, or left out"),
    ("host: h\nbasic: {user: 'a:b', password: {env: P}}", "a `user` has neither colons nor control characters"),
    ("host: h\nbasic: {user: a}", "`basic` lacks `password`"),
    ("host: 'http://h'\nnetrc: true", "the secret would cross the network in clear"),
  ])
  func `what is wrong with an entry`(entry: String, message: String) {
    let file = auth(entry)
    #expect(file.manifest == nil)
    #expect(file.errors.contains { $0.message.hasPrefix(message) }, "\(file.lines)")
  }

  @Test(arguments: [
    "google: {token: LITERAL-SECRET}", "google: {service_account: LITERAL-SECRET}",
    "firebase: {id_token: LITERAL-SECRET}",
    "firebase: {refresh_token: LITERAL-SECRET, api_key: LITERAL-SECRET}", "firebase: none\napp_check: LITERAL-SECRET",
    "firebase: {email: a@b.example, password: LITERAL-SECRET}", "host: h\nheader: X\nvalue: LITERAL-SECRET",
    "host: h\nbasic: {user: u, password: LITERAL-SECRET}",
  ])
  func `a secret that is written out is an error that does not show it`(entry: String) {
    let text =
      "version: 1\nroot: out\nitems: []\nauth:\n  - " + entry.split(separator: "\n").joined(separator: "\n    ")
    let file = load(text)
    let messages = Set(file.errors.map(\.message))
    #expect(messages == ["a secret is not written into a manifest"], "\(file.lines)")
    #expect(file.errors.allSatisfy { $0.isSecret && !($0.hint ?? "").contains("LITERAL") })
  }

  @Test func `there is one google, one firebase, and one of each header for a host`() {
    let file = load(
      """
      version: 1
      root: out
      items: []
      auth:
        - google: adc
        - google: none
        - firebase: none
        - firebase: anonymous
        - host: h
          netrc: true
        - host: https://h:443
          header: authorization
          value: {env: T}
        - host: h
          header: X-Other
          value: {env: T}
      """)
    #expect(
      file.lines == [
        "6:5 a second `google`; the first is at line 5", "8:5 a second `firebase`; the first is at line 7",
        "11:5 a second `authorization` for https://h; the first is at line 9",
      ])
  }

  @Test func `a manifest says which secrets it reads and who is sent them`() throws {
    let file = load(
      """
      version: 1
      root: out
      items: []
      auth:
        - google: {service_account: {file: k.json}}
        - firebase: {refresh_token: {env: RT}}
          app_check: {command: [mint, --app]}
        - host: h.example:8443
          header: X
          value: {env: T}
      """)
    #expect(
      try #require(file.manifest).secretsRead() == [
        SecretUse(secret: "the file k.json", audience: "https://*.googleapis.com"),
        SecretUse(secret: "the environment variable RT", audience: "Firebase Authentication"),
        SecretUse(secret: "the environment variable FIREBASE_API_KEY", audience: "Firebase Authentication"),
        SecretUse(secret: "the output of mint", audience: "https://firebasestorage.googleapis.com"),
        SecretUse(secret: "the environment variable T", audience: "https://h.example:8443"),
      ])
  }
}
