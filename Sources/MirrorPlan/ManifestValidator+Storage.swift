// `storage:` and `auth:`: which servers, and which secrets go to them.

import TransferModel

extension ManifestValidator {
  mutating func storage(_ fields: Fields<StorageKey>) -> StorageSettings {
    var result = StorageSettings()
    if let text = expand(fields[.bucket]) {
      if text.value.hasPrefix("gs://") {
        diagnostics.error(text.span, "`bucket` is a name, not a reference", hint: "leave out `gs://`")
      } else if text.value.isEmpty || text.value.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 <= 0x20 }) {
        diagnostics.error(text.span, "\(text.quoted) is no name of a bucket")
      } else {
        result.bucket = text.value
      }
    }
    if let api = choice(fields[.api], "api", as: StorageSettings.API.self) { result.api = api }
    result.emulator = origin(fields[.emulator], "emulator", scheme: .http)
    return result
  }

  /// `host`, `host:port` or `scheme://host:port`.
  private mutating func origin(_ field: LocatedText?, _ key: String, scheme: Origin.Scheme) -> Origin? {
    guard let text = expand(field) else { return nil }
    let isWhole = text.value.contains("://")
    do {
      let url = try HTTPURL(parsing: isWhole ? text.value : "\(scheme)://\(text.value)")
      guard url.path == "/", url.query == nil, url.userInfo == nil, !text.value.contains("#") else {
        diagnostics.error(
          text.span, "`\(key)` is a host and a port, and nothing else", hint: "as in \(url.origin.host):8080")
        return nil
      }
      return url.origin
    } catch {
      diagnostics.error(text.span, "\(text.quoted) is no host: \(error.rawValue)")
      return nil
    }
  }

  mutating func secrets(_ drafts: [HostSecretDraft]) -> [HostSecret] {
    var result: [HostSecret] = []
    var seen: [String: SourceSpan] = [:]
    for draft in drafts {
      let origin = origin(draft.fields[.host], "host", scheme: .https)
      let header = headerName(draft.fields[.header])
      let value = draft.value.flatMap { secret($0) }
      guard let origin, let header, let value else { continue }
      if origin.scheme == .http, !origin.isLoopback {
        diagnostics.error(
          draft.fields[.host]?.span ?? draft.span, "the secret would cross the network in clear",
          hint: "secrets go to https hosts, and to http on this machine only")
      }
      if let other = seen["\(origin) \(header.lowercased())"] {
        diagnostics.error(
          draft.span, "a second `\(header)` for \(origin); the first is at line \(other.line)")
      }
      seen["\(origin) \(header.lowercased())"] = draft.span
      result.append(HostSecret(origin: origin, header: header, value: value))
    }
    return result
  }

  /// A field name (RFC 9110 section 5.1) that is not one of those on which transfers stand.
  private mutating func headerName(_ field: LocatedText?) -> String? {
    guard let text = expand(field) else { return nil }
    let isToken =
      !text.value.isEmpty
      && text.value.utf8.allSatisfy {
        ASCII.isLetter($0) || ASCII.isDigit($0) || "!#$%&'*+-.^_`|~".utf8.contains($0)
      }
    guard isToken else {
      diagnostics.error(text.span, "\(text.quoted) is no name of a header", hint: "as in Authorization")
      return nil
    }
    guard !Self.ownHeaders.contains(text.value.lowercased()) else {
      diagnostics.error(text.span, "the header \(text.quoted) is mirror's own to send")
      return nil
    }
    return text.value
  }

  private static let ownHeaders: Set<String> = [
    "host", "connection", "content-length", "transfer-encoding", "te", "upgrade", "expect", "range", "if-range",
    "if-match", "if-none-match", "if-modified-since", "accept-encoding",
  ]

  private mutating func secret(_ draft: SecretDraft) -> SecretReference? {
    let prefix = expand(draft.fields[.prefix], mayBeEmpty: true)
    if let prefix, prefix.value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
      diagnostics.error(prefix.span, "the prefix has a control character")
    }
    var sources: [SecretReference.Source] = []
    var count = 0
    if let name = draft.fields[.env] {
      count += 1
      if let name = path(name, "env") { sources.append(.environment(name)) }
    }
    if let file = draft.fields[.file] {
      count += 1
      if let file = path(file, "file") { sources.append(.file(file)) }
    }
    if let command = draft.command {
      count += 1
      let words = command.elements.compactMap { expand($0, mayBeEmpty: true)?.value }
      if words.first?.isEmpty ?? true {
        diagnostics.error(command.span, "`command` names no program", hint: "write [\"program\", \"argument\"]")
      } else {
        sources.append(.command(words))
      }
    }
    guard count == 1 else {
      diagnostics.error(
        draft.span, count == 0 ? "the secret has no source" : "the secret has more than one source",
        hint: "give exactly one of `env`, `file` and `command`")
      return nil
    }
    return sources.first.map { SecretReference(prefix: prefix?.value ?? "", source: $0) }
  }
}
