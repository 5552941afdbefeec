// The credentials of a run: from what the manifest says to bindings of secrets and origins.
// How tokens are obtained and sent is `Credentials`.

import Credentials
import MirrorPlan
import StorageCore
import TransferModel

/// Builds the authorizer of one run. Secrets that are read from this machine are read here; whoever must be asked over the
/// network is asked when the first request needs it.
struct RunCredentials {
  let authorizer: CredentialAuthorizer
  let registry: SecretRegistry
  /// What the user should know, one sentence each: credentials that are not sent.
  let notes: [String]
  /// The project that pays for requests to "requester pays" buckets.
  let userProject: String?

  /// - Parameters:
  ///   - emulator: where the environment or the manifest says that the storage services are; nil = the real ones.
  ///   - scope: what Google's tokens have to allow.
  init(
    _ entries: [AuthEntry], environment: RunEnvironment, manifestDirectory: String, emulator: Origin?,
    scope: GoogleScope = .readOnly
  ) throws(TransferFailure) {
    let registry = SecretRegistry()
    let services = TokenServices(
      transport: environment.transport, clocks: environment.clocks, reader: environment.secrets, registry: registry)
    var builder = CredentialBuilder(
      services: services, lookUp: environment.lookUp, directory: manifestDirectory, emulator: emulator,
      scope: scope)
    for entry in entries { try builder.add(entry) }
    authorizer = CredentialAuthorizer(builder.bindings)
    notes = builder.notes
    userProject = builder.userProject
    self.registry = registry
  }
}

private struct CredentialBuilder {
  /// Google's libraries renew that long before the end, Firebase's 5 minutes.
  static let googleSkew = Duration.seconds(225)
  static let firebaseSkew = Duration.seconds(300)

  let services: TokenServices
  let lookUp: @Sendable (String) -> String?
  let directory: String
  let emulator: Origin?
  let scope: GoogleScope
  private(set) var bindings: [CredentialBinding] = []
  private(set) var notes: [String] = []
  private(set) var userProject: String?

  init(
    services: TokenServices, lookUp: @escaping @Sendable (String) -> String?, directory: String, emulator: Origin?,
    scope: GoogleScope
  ) {
    self.services = services
    self.lookUp = lookUp
    self.directory = directory
    self.emulator = emulator
    self.scope = scope
  }

  mutating func add(_ entry: AuthEntry) throws(TransferFailure) {
    switch entry {
    case .host(let host): try add(host)
    case .google(let google): try add(google)
    case .firebase(let firebase): try add(firebase)
    }
  }

  private func cell(_ method: any TokenMethod, skew: Duration = .zero) throws(TransferFailure) -> TokenCell {
    let cell = TokenCell(method, skew: skew, services: services)
    try cell.prime()
    return cell
  }

  // MARK: Hosts

  private mutating func add(_ host: HostAuth) throws(TransferFailure) {
    guard let credential = host.credential else { return }
    let field: CredentialBinding.Field
    switch credential {
    case .header(let name, let reference):
      let method = GivenSecret(source(reference), name: "the \(name) for \(host.origin)")
      field = .init(name, prefix: reference.prefix, try cell(method))
    case .basic(let user, let password):
      field = .init("Authorization", prefix: "Basic ", try cell(BasicSecret(user: user, password: source(password))))
    case .netrc(let path):
      let method = NetrcSecret(path: try netrcPath(path), host: host.origin.host)
      field = .init("Authorization", prefix: "Basic ", try cell(method))
    }
    bindings.append(CredentialBinding(.origin(host.origin), fields: [field]))
  }

  private func netrcPath(_ path: String?) throws(TransferFailure) -> String {
    func value(_ name: String) -> String? { lookUp(name).flatMap { $0.isEmpty ? nil : $0 } }
    if let path, path.hasPrefix("~/"), let home = value("HOME") { return home + path.dropFirst() }
    if let path { return absolute(path) }
    if let path = value("NETRC") { return path }
    if let home = value("HOME") { return home + "/.netrc" }
    throw SecretReader.failure("`netrc: true` needs NETRC or HOME", hint: "Set one of them, or write a path.")
  }

  // MARK: Google

  private mutating func add(_ google: GoogleAuth) throws(TransferFailure) {
    userProject = google.userProject
    guard let credential = try credential(google) else { return }
    if let emulator, !mayCarrySecrets(emulator) {
      notes.append("Google credentials are not sent to \(emulator): they would cross the network in clear")
      return
    }
    var companions = HTTPFields()
    if let project = credential.quotaProject { companions.append("x-goog-user-project", project) }
    let field = CredentialBinding.Field(
      "Authorization", prefix: "Bearer ", try cell(credential.method, skew: Self.googleSkew))
    bindings.append(
      CredentialBinding(
        emulator.map { .origin($0) } ?? .google, fields: [field], companions: companions, sparesSignedLinks: true))
  }

  /// nil = nothing is sent. With an emulator, what the surroundings offer is not looked for, as Google's own libraries do.
  private func credential(_ google: GoogleAuth) throws(TransferFailure) -> GoogleCredential? {
    let trust = TokenTrust(origins: Set(google.tokenOrigins))
    switch google.method {
    case .none: return nil
    case .defaultCredentials:
      guard emulator == nil else { return nil }
      return try DefaultCredentials.find(environment: lookUp, scope: scope, trust: trust) {
        path throws(TransferFailure) -> [UInt8]? in
        SecretFile.exists(path) ? try services.reader.readFile(path) : nil
      }
    case .metadataServer:
      guard emulator == nil else { return nil }
      return GoogleCredential(method: MetadataServer(scope: scope, detects: false, environment: lookUp))
    case .credentialFile(let path):
      let path = absolute(path)
      return try GoogleCredentialFile.parse(
        services.reader.readFile(path), file: path, scope: scope, trust: trust)
    case .token(let reference):
      return GoogleCredential(method: GivenSecret(source(reference), name: "the Google access token"))
    }
  }

  // MARK: Firebase

  private mutating func add(_ firebase: FirebaseAuth) throws(TransferFailure) {
    let origin = emulator ?? StorageAPI.firebase.defaultOrigin
    var fields: [CredentialBinding.Field] = []
    if let method = try method(firebase) {
      fields.append(.init("Authorization", prefix: "Firebase ", try cell(method, skew: Self.firebaseSkew)))
    }
    if let appCheck = firebase.appCheck {
      let method = GivenSecret(source(appCheck), name: "the App Check token")
      fields.append(.init("X-Firebase-AppCheck", try cell(method, skew: Self.firebaseSkew)))
    }
    guard !fields.isEmpty else { return }
    guard mayCarrySecrets(origin) else {
      notes.append("Firebase tokens are not sent to \(origin): they would cross the network in clear")
      return
    }
    bindings.append(CredentialBinding(.origin(origin), fields: fields, sparesSignedLinks: true))
  }

  private func method(_ firebase: FirebaseAuth) throws(TransferFailure) -> (any TokenMethod)? {
    let identity: FirebaseIdentity
    switch firebase.method {
    case .none: return nil
    case .idToken(let reference): return GivenSecret(source(reference), name: "the Firebase ID token")
    case .refreshToken(let reference): identity = .refreshToken(source(reference))
    case .customToken(let reference): identity = .customToken(source(reference))
    case .password(let email, let reference): identity = .password(email: email, source(reference))
    case .anonymous: identity = .anonymous
    }
    let emulator = try FirebaseAuthService.emulator(environment: lookUp)
    // An emulator takes any key.
    let isMissing = firebase.apiKey == FirebaseAuth.defaultAPIKey && lookUp("FIREBASE_API_KEY") == nil
    let apiKey = emulator != nil && isMissing ? "emulator" : try services.reader.read(source(firebase.apiKey))
    return FirebaseSignIn(identity, service: FirebaseAuthService(apiKey: apiKey, emulator: emulator))
  }

  // MARK: Parts

  private func mayCarrySecrets(_ origin: Origin) -> Bool { origin.scheme == .https || origin.isLoopback }

  private func source(_ reference: SecretReference) -> SecretSource {
    switch reference.source {
    case .environment(let name): .environment(name)
    case .file(let path): .file(absolute(path))
    case .command(let words): .command(words)
    }
  }

  private func absolute(_ path: String) -> String {
    path.hasPrefix("/") || directory.isEmpty ? path : directory + "/" + path
  }
}
