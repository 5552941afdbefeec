// The keys that a manifest may have, level by level: what the decoder knows, and what the JSON Schema must list.

/// A key of one level of the manifest.
package protocol ManifestKey: Hashable, Sendable {
  /// nil when the level has no such key.
  init?(spelling: String)
  var spelling: String { get }
  /// All keys of the level, for "did you mean" and for the test that holds the JSON Schema against them.
  static var spellings: [String] { get }
}

extension ManifestKey where Self: RawRepresentable & CaseIterable, RawValue == String {
  package init?(spelling: String) { self.init(rawValue: spelling) }
  package var spelling: String { rawValue }
  package static var spellings: [String] { allCases.map(\.rawValue) }
}

/// The top of the manifest. Keys that begin with `x-` are allowed beside these and mean nothing: a place for anchors.
package enum TopKey: String, CaseIterable, ManifestKey {
  case version, root, storage, auth, defaults, limits, publish, items, trees, report
  case onChange = "on_change"
}

package enum StorageKey: String, CaseIterable, ManifestKey {
  case bucket, api, emulator
}

package enum AuthKey: String, CaseIterable, ManifestKey {
  case google, firebase, host, header, value, basic, netrc, tls, proxy
  case appCheck = "app_check"
  case userProject = "user_project"
  case tokenOrigins = "token_origins"
}

/// `google:` where it is a mapping.
package enum GoogleKey: String, CaseIterable, ManifestKey {
  case token
  case serviceAccount = "service_account"
  case credentials
}

/// `firebase:` where it is a mapping.
package enum FirebaseKey: String, CaseIterable, ManifestKey {
  case email, password, anonymous
  case idToken = "id_token"
  case refreshToken = "refresh_token"
  case customToken = "custom_token"
  case apiKey = "api_key"
}

package enum BasicKey: String, CaseIterable, ManifestKey {
  case user, password
}

package enum TLSKey: String, CaseIterable, ManifestKey {
  case ca, cert, key
}

package enum SecretKey: String, CaseIterable, ManifestKey {
  case prefix, env, file, command
}

/// The settings that `defaults` gives and that an item or a tree may override.
package enum SettingKey: String, CaseIterable, ManifestKey {
  case maxSize = "max_size"
  case verify, content, mode, mtime, timeout, retry, ranges
  case onLocalChange = "on_local_change"
}

package enum TimeoutKey: String, CaseIterable, ManifestKey {
  case connect, idle, item
  case minRate = "min_rate"
}

package enum RetryKey: String, CaseIterable, ManifestKey {
  case `for`, statuses, initial, max
}

package enum RangesKey: String, CaseIterable, ManifestKey {
  case cutoff, streams
}

package enum LimitKey: String, CaseIterable, ManifestKey {
  case jobs, rate, requests, memory
  case perHost = "per_host"
  case ratePerHost = "rate_per_host"
  case requestsPerHost = "requests_per_host"
}

/// A row of a rate by the time of day.
package enum RateRowKey: String, CaseIterable, ManifestKey {
  case from, rate
}

package enum PublishKey: String, CaseIterable, ManifestKey {
  case mode, keep
}

package enum ItemKey: String, CaseIterable, ManifestKey {
  case ref, to, sha256, sha512, md5, crc32c, size, generation, placeholder
  case checksumURL = "checksum_url"
}

package enum TreeKey: String, CaseIterable, ManifestKey {
  case ref, to, include, exclude, prune
}

package enum PruneKey: String, CaseIterable, ManifestKey {
  case enabled, max, trash
}

package enum ReportKey: String, CaseIterable, ManifestKey {
  case json, prometheus, junit
}

/// A level that has keys of its own and, beside them, every setting of `defaults`.
package enum WithSettings<Own: ManifestKey>: ManifestKey {
  case own(Own)
  case setting(SettingKey)

  package init?(spelling: String) {
    if let own = Own(spelling: spelling) {
      self = .own(own)
    } else if let setting = SettingKey(spelling: spelling) {
      self = .setting(setting)
    } else {
      return nil
    }
  }

  package var spelling: String {
    switch self {
    case .own(let key): key.spelling
    case .setting(let key): key.spelling
    }
  }

  package static var spellings: [String] { Own.spellings + SettingKey.spellings }
}
