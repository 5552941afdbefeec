// Where a workload's own token comes from: a file that its platform rotates, or a service beside it.

import TransferModel

/// `credential_source` of an `external_account`.
struct SubjectToken: Sendable {
  private enum Source {
    case file(String)
    case url(HTTPURL, HTTPFields)
  }

  private let source: Source
  /// The key of the token in a JSON document; nil = the whole content is the token.
  private let field: String?
  private let file: String
  private let headerSecrets: [String]

  init(_ fields: CredentialFields) throws(TransferFailure) {
    file = fields.file
    let kinds = ["file", "url", "executable", "certificate", "environment_id"].filter { fields.has($0) }
    guard kinds.count == 1 || kinds == ["url", "environment_id"] else {
      throw fields.failure(
        kinds.isEmpty
          ? "has a `credential_source` with no source"
          : "has a `credential_source` with more than one source: \(kinds.joined(separator: ", "))",
        hint: "It takes exactly one of `file` and `url`.")
    }
    guard let kind = kinds.last, kind == "file" || kind == "url" else {
      let name = kinds.last == "environment_id" ? "AWS" : "`\(kinds.last ?? "")`"
      throw fields.failure(
        "has a `credential_source` of the kind \(name), which mirror does not use",
        hint: "Use a `file` or `url` source, or give a token with `google: {token: …}`.")
    }
    field = try Self.field(fields)
    let headers = try fields.object("headers")?.texts() ?? []
    headerSecrets = headers.map(\.1)
    if kind == "file" {
      source = .file(try fields.required("file"))
    } else {
      source = .url(try Self.url(fields), HTTPFields(headers.map { HTTPFields.Field($0.0, $0.1) }))
    }
  }

  var secrets: [String] {
    guard case .url(let url, _) = source else { return headerSecrets }
    // A request URL of a CI service may hold a secret in its query.
    return headerSecrets + (url.query.map { [$0] } ?? [])
  }

  /// The steps to the token, then `next` with it.
  func step(_ next: @escaping @Sendable (String) throws(TransferFailure) -> TokenStep) -> TokenStep {
    switch source {
    case .file(let path):
      // Read each time: files rotate.
      return .readFile(path) { bytes throws(TransferFailure) in try next(token(in: bytes, of: "the file \(path)")) }
    case .url(let url, let fields):
      let place = "\(url.origin)\(url.path)"
      return .ask(TokenRequest(HTTPRequest(.get, url, fields: fields), place: place)) {
        answer throws(TransferFailure) in
        guard answer.head?.status == 200 else {
          throw answer.failure { _ in "It is the `credential_source.url` of \(file)." }
        }
        return try next(token(in: answer.body, of: place))
      }
    }
  }

  private func token(in bytes: [UInt8], of place: String) throws(TransferFailure) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw failure("\(place) is not UTF-8 text") }
    var token = text
    if let field {
      guard let value = (try? JSONValue(parsing: text))?[field]?.string else {
        throw failure("\(place) is no JSON object with a text `\(field)`")
      }
      token = value
    }
    var end = Substring(token).utf8
    while let last = end.last, last == 0x0A || last == 0x0D { end.removeLast() }
    guard !end.isEmpty else { throw failure("\(place) holds an empty token") }
    return String(Substring(end))
  }

  private func failure(_ problem: String) -> TransferFailure {
    TransferFailure(.unauthenticated, .permanent, "\(problem), which the credential file \(file) names")
  }

  private static func field(_ fields: CredentialFields) throws(TransferFailure) -> String? {
    guard let format = try fields.object("format") else { return nil }
    switch try format.optional("type") ?? "text" {
    case "text": return nil
    case "json": return try format.required("subject_token_field_name")
    default: throw format.failure("has a `credential_source.format.type` that is neither text nor json")
    }
  }

  /// https anywhere; http on this machine and on its own link, where platforms have their services.
  private static func url(_ fields: CredentialFields) throws(TransferFailure) -> HTTPURL {
    guard let url = try? HTTPURL(parsing: fields.required("url")), url.userInfo == nil else {
      throw fields.failure("has a `credential_source.url` that is no URL")
    }
    let isNear = url.origin.isLoopback || url.origin.host.hasPrefix("169.254.")
    guard url.origin.scheme == .https || isNear else {
      throw fields.failure("has a `credential_source.url` that would send its headers over the network in clear")
    }
    return url
  }
}
