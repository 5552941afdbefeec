// The service inside Google's machines that gives tokens for the machine's own service account.

package import TransferModel

/// Tokens of the machine's service account.
package struct MetadataServer: TokenMethod {
  private let host: String
  private let pingHost: String
  private let scope: GoogleScope
  /// Whether to find out first that this is one of Google's machines.
  private let detects: Bool
  private let isDisabled: Bool
  private let timeout: Duration
  private let tries: Int

  /// | variable | meaning |
  /// | --- | --- |
  /// | `GCE_METADATA_HOST`, `GCE_METADATA_ROOT` | the server; metadata.google.internal |
  /// | `GCE_METADATA_IP` | where it is looked for; the server when that was named, else 169.254.169.254 |
  /// | `GCE_METADATA_TIMEOUT`, `GCE_METADATA_DETECT_RETRIES` | how long, in seconds, and how often; 3 and 3 |
  /// | `NO_GCE_CHECK=true` | this is none of Google's machines |
  package init(scope: GoogleScope, detects: Bool, environment: (String) -> String?) {
    func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    let named = value("GCE_METADATA_HOST") ?? value("GCE_METADATA_ROOT")
    host = named ?? "metadata.google.internal"
    pingHost = value("GCE_METADATA_IP") ?? named ?? "169.254.169.254"
    timeout = .seconds(value("GCE_METADATA_TIMEOUT").flatMap { ASCII.number($0.utf8) }.map { min(max(1, $0), 60) } ?? 3)
    tries = value("GCE_METADATA_DETECT_RETRIES").flatMap { ASCII.number($0.utf8) }.map { Int(min(max(1, $0), 10)) } ?? 3
    isDisabled = detects && value("NO_GCE_CHECK")?.lowercased() == "true"
    self.scope = scope
    self.detects = detects
  }

  package var label: String { "the access token of this machine's service account" }

  package func begin(at now: Timestamp) throws(TransferFailure) -> TokenStep {
    guard !isDisabled else { throw Self.notFound }
    guard detects else { return try askToken() }
    let ping = try request(pingHost, path: "/", timeout: timeout)
    let patience = TokenPatience(attempts: tries, initial: .milliseconds(100))
    return .ask(TokenRequest(ping, place: "the metadata server at \(pingHost)", patience: patience)) {
      answer throws(TransferFailure) in
      // Any server may answer at a link-local address; Google's says who it is.
      guard answer.head?.status == 200, answer.head?.fields["Metadata-Flavor"] == "Google" else { throw Self.notFound }
      return try askToken()
    }
  }

  private func askToken() throws(TransferFailure) -> TokenStep {
    let request = try request(
      host, path: "/computeMetadata/v1/instance/service-accounts/default/token",
      query: "scopes=" + PercentEncoding.encode(scope.rawValue), timeout: .seconds(10))
    return .ask(
      TokenRequest(request, place: "the metadata server at \(host)", patience: .metadataServer)
    ) { answer throws(TransferFailure) in
      .done(
        try answer.accessToken { _ in
          "Is this one of Google's machines, and does it have a service account with access to Cloud Storage?"
        })
    }
  }

  /// Never through a proxy: it would answer for another machine. Redirects are not followed.
  private func request(
    _ host: String, path: String, query: String? = nil, timeout: Duration
  ) throws(TransferFailure) -> HTTPRequest {
    guard let base = try? HTTPURL(parsing: "http://" + host), base.path == "/", base.query == nil, base.userInfo == nil
    else {
      throw TransferFailure(
        .unauthenticated, .permanent, "GCE_METADATA_HOST or GCE_METADATA_IP names no host",
        hint: "It takes a host, or a host and a port.")
    }
    var request = HTTPRequest(
      .get, HTTPURL(origin: base.origin, path: path, query: query),
      fields: HTTPFields([.init("Metadata-Flavor", "Google")]),
      timeouts: TransferTimeouts(connect: timeout, idle: timeout))
    request.usesProxy = false
    return request
  }

  private static let notFound = TransferFailure(
    .unauthenticated, .permanent, "default credentials were not found",
    hint: "Run `gcloud auth application-default login`, or name a key file in GOOGLE_APPLICATION_CREDENTIALS.")
}
