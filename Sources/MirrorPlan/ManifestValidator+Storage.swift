// `storage:`: which servers. Which secrets go to them is `ManifestValidator+Auth.swift`.

import TransferModel

extension ManifestValidator {
  /// `api` is the default of the same name.
  mutating func storage(_ fields: Fields<StorageKey>, api: StorageSettings.API) -> StorageSettings {
    var result = StorageSettings(api: api)
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
  mutating func origin(_ field: LocatedText?, _ key: String, scheme: Origin.Scheme) -> Origin? {
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
}
