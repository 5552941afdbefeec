// `auth:` entries for a `host`: what it is sent, and how it is reached.

import TransferModel

extension ManifestValidator {
  mutating func hostAuth(_ draft: AuthDraft) -> (AuthEntry, [String])? {
    let origin = origin(draft.fields[.host], "host", scheme: .https)
    if let origin { checkIsPrivate(origin, draft.fields[.host]?.span ?? draft.span) }
    let hasHeader = draft.span(of: .header) != nil || draft.span(of: .value) != nil
    let credentials = [hasHeader, draft.span(of: .basic) != nil, draft.span(of: .netrc) != nil].count { $0 }
    let hasConnection = draft.span(of: .tls) != nil || draft.span(of: .proxy) != nil
    guard credentials == 1 || credentials == 0 && hasConnection else {
      if !draft.isBroken {
        diagnostics.error(
          draft.span, "a `host` takes exactly one of `header` with `value`, `basic`, and `netrc`",
          hint: "none of them where there is `tls` or `proxy`")
      }
      return nil
    }
    let credential = credentials == 1 ? hostCredential(draft) : nil
    let tls = draft.tls.flatMap { tlsFiles($0, origin) }
    let proxy = draft.fields[.proxy].flatMap { hostProxy($0) }
    guard let origin, credentials == 0 || credential != nil else { return nil }
    let header: String? =
      switch credential {
      case .header(let name, _): name.lowercased()
      case .basic, .netrc: "authorization"
      case nil: nil
      }
    let identities = [header, tls.map { _ in "tls" }, proxy.map { _ in "proxy" }].compactMap { $0 }
    return (
      .host(HostAuth(origin: origin, credential: credential, tls: tls, proxy: proxy)),
      identities.map { "`\($0)` for \(origin)" }
    )
  }

  private mutating func tlsFiles(_ draft: CredentialDraft<TLSKey>, _ origin: Origin?) -> HostAuth.TLSFiles? {
    let files = HostAuth.TLSFiles(
      authority: path(draft.fields[.ca], "ca"), certificate: path(draft.fields[.cert], "cert"),
      key: path(draft.fields[.key], "key"))
    if origin?.scheme == .http { diagnostics.error(draft.span, "`tls` is for https hosts") }
    if let key = draft.fields[.key], draft.fields[.cert] == nil {
      diagnostics.error(key.span, "`key` goes with a `cert`")
    }
    if files == HostAuth.TLSFiles(), !draft.isBroken { diagnostics.error(draft.span, "`tls` names no file") }
    return files
  }

  /// `none`, or where the proxy is; its password has no place here.
  private mutating func hostProxy(_ field: LocatedText) -> HostAuth.Proxy? {
    if field.value == "none" { return .direct }
    return origin(field, "proxy", scheme: .http).map { .via($0) }
  }

  private mutating func hostCredential(_ draft: AuthDraft) -> HostAuth.Credential? {
    if let netrc = draft.fields[.netrc] {
      guard let text = path(netrc, "netrc") else { return nil }
      guard text != "false" else {
        diagnostics.error(netrc.span, "`netrc` is true or a path, or left out")
        return nil
      }
      return .netrc(path: text == "true" ? nil : text)
    }
    if let basic = draft.basic {
      let user = path(basic.fields[.user], "user")
      if let user, user.utf8.contains(where: { $0 == UInt8(ascii: ":") || $0 < 0x20 || $0 == 0x7F }) {
        diagnostics.error(
          basic.fields[.user]?.span ?? basic.span, "a `user` has neither colons nor control characters")
      }
      if basic.fields[.user] == nil, !basic.isBroken { diagnostics.error(basic.span, "`basic` lacks `user`") }
      if basic.secrets[.password] == nil, !basic.isBroken { diagnostics.error(basic.span, "`basic` lacks `password`") }
      guard let user, let password = basic.secrets[.password].flatMap({ secret($0) }) else { return nil }
      return .basic(user: user, password)
    }
    for (key, isThere) in [(AuthKey.header, draft.fields[.header] != nil), (.value, draft.value != nil)]
    where !isThere && !draft.isBroken {
      diagnostics.error(draft.span, "an entry of `auth` for a `host` lacks `\(key.spelling)`")
    }
    let header = headerName(draft.fields[.header])
    let value = draft.value.flatMap { secret($0, mayHavePrefix: true) }
    guard let header, let value else { return nil }
    return .header(header, value)
  }

  mutating func checkIsPrivate(_ origin: Origin, _ span: SourceSpan) {
    guard origin.scheme == .http, !origin.isLoopback else { return }
    diagnostics.error(
      span, "the secret would cross the network in clear",
      hint: "secrets go to https hosts, and to http on this machine only")
  }
}
