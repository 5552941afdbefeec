// Takes values out of a credential file. What is wrong is said with the file and the field, never with the value.

import TransferModel

/// One JSON object of a credential file.
struct CredentialFields {
  /// The file's path.
  let file: String
  /// The names of the objects that this one is in, each with a dot behind it.
  private let path: String
  private let value: JSONValue
  let trust: TokenTrust

  init(_ bytes: [UInt8], file: String, trust: TokenTrust) throws(TransferFailure) {
    guard let value = try? JSONValue(parsing: bytes), case .object = value else {
      throw TransferFailure(
        .unauthenticated, .permanent, "the credential file \(file) is no JSON object",
        hint: "Download it again, or name another one.")
    }
    self.init(file: file, path: "", value: value, trust: trust)
  }

  private init(file: String, path: String, value: JSONValue, trust: TokenTrust) {
    self.file = file
    self.path = path
    self.value = value
    self.trust = trust
  }

  /// A text that must be there and not empty.
  func required(_ key: String) throws(TransferFailure) -> String {
    guard let text = try optional(key) else { throw failure("lacks `\(path)\(key)`") }
    return text
  }

  /// nil when it is left out, null or empty.
  func optional(_ key: String) throws(TransferFailure) -> String? {
    switch value[key] {
    case nil, .null?: return nil
    case .string(let text)?: return text.isEmpty ? nil : text
    default: throw failure("has a `\(path)\(key)` that is not a text")
    }
  }

  func has(_ key: String) -> Bool {
    switch value[key] {
    case nil, .null?: false
    default: true
    }
  }

  func object(_ key: String) throws(TransferFailure) -> CredentialFields? {
    guard has(key), let inner = value[key] else { return nil }
    guard case .object = inner else { throw failure("has a `\(path)\(key)` that is not an object") }
    return CredentialFields(file: file, path: path + key + ".", value: inner, trust: trust)
  }

  /// The texts of an object.
  func texts() throws(TransferFailure) -> [(String, String)] {
    var result: [(String, String)] = []
    for member in value.members ?? [] {
      guard let text = member.value.string else { throw failure("has a `\(path)\(member.key)` that is not a text") }
      result.append((member.key, text))
    }
    return result
  }

  func list(_ key: String) throws(TransferFailure) -> [String] {
    guard has(key) else { return [] }
    let texts = value[key]?.array?.compactMap(\.string)
    guard let texts, texts.count == value[key]?.array?.count else {
      throw failure("has a `\(path)\(key)` that is not a list of texts")
    }
    return texts
  }

  func integer(_ key: String, in range: ClosedRange<Int64>) throws(TransferFailure) -> Int64? {
    guard has(key) else { return nil }
    guard let number = value[key]?.int64, range.contains(number) else {
      throw failure("has a `\(path)\(key)` that is no number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// An address to which secrets are sent: Google's, or one that is allowed.
  func trustedURL(_ key: String) throws(TransferFailure) -> HTTPURL {
    let text = try required(key)
    guard let url = try? HTTPURL(parsing: text), url.userInfo == nil else {
      throw failure("has a `\(path)\(key)` that is no https URL")
    }
    guard trust.allows(url.origin) else {
      throw failure(
        "has a `\(path)\(key)` at \(url.origin), which is not Google's",
        hint: "If that is meant, name the host under `token_origins` of the same `auth:` entry.")
    }
    return url
  }

  func failure(_ problem: String, hint: String? = nil) -> TransferFailure {
    TransferFailure(.unauthenticated, .permanent, "the credential file \(file) \(problem)", hint: hint)
  }
}
