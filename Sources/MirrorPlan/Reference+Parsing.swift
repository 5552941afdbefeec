// Reads what `ref:` says: which of the many spellings it is, and whether the storage API or a plain GET fetches it.

import TransferModel

extension Reference {
  /// Why a text names nothing that can be fetched.
  package struct Violation: Error, Hashable, Sendable {
    package var message: String
    package var hint: String?
    /// Whether all that is wrong is that no default bucket is known.
    package var isLackOfBucket = false

    package init(_ message: String, hint: String? = nil) {
      self.message = message
      self.hint = hint
    }

    static let lackOfBucket: Violation = {
      var violation = Violation(
        "a bare path needs a default bucket",
        hint: "write `storage: {bucket: NAME}` at the top of the manifest, or the whole reference: `gs://NAME/…`")
      violation.isLackOfBucket = true
      return violation
    }()
  }

  /// Reads one reference.
  ///
  /// | written | is |
  /// | --- | --- |
  /// | `images/a b.jpg` | that object of the default bucket, taken literally |
  /// | `gs://bucket/images/a b.jpg` | that object, taken literally |
  /// | a link to Cloud Storage, the emulator or a loopback server, of a form that `StorageAddress` reads | that object, decoded once |
  /// | such a link with `token=` or a signature | the link as written: whoever made it wanted that request |
  /// | any other http or https URL | the URL as written |
  ///
  /// With `api: firebase`, names are normalised as that API does (runs of `/` are one, none at either end); with `gcs` never.
  package init(parsing text: String, storage: StorageSettings) throws(Violation) {
    var links = LinkReader()
    try self.init(parsing: text, storage: storage, links: &links)
  }

  /// As above, of many references with the same `storage`.
  init(parsing text: String, storage: StorageSettings, links: inout LinkReader) throws(Violation) {
    guard !text.isEmpty else { throw Violation("the reference is empty") }
    guard !text.hasByte(0) else { throw Violation("the reference has a NUL character") }
    switch Self.scheme(of: text) {
    case nil: self = .storage(try Self.bare(text, storage: storage))
    case "gs": self = .storage(try Self.address(text, storage: storage))
    case "http", "https": self = try links.read(text, storage: storage)
    case .some(let other):
      throw Violation(
        "`\(other)://` is not fetched; references are bare paths, `gs://`, `https://` or `http://`",
        hint: Suggestion.nearest(to: other, among: ["https", "http", "gs"]).map { "did you mean `\($0)://`?" })
    }
  }

  /// The lower-case scheme in front of `://`; nil when there is none (RFC 3986 section 3.1).
  private static func scheme(of text: String) -> String? {
    if text.hasBytePrefix("http://") { return "http" }
    if text.hasBytePrefix("https://") { return "https" }
    if text.hasBytePrefix("gs://") { return "gs" }
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
      text.utf8[colon...].starts(with: "://".utf8), let first = text.utf8.first, ASCII.isLetter(first)
    else { return nil }
    let name = text[..<colon]
    let isName = name.utf8.allSatisfy {
      ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
        || $0 == UInt8(ascii: ".")
    }
    return isName ? name.lowercased() : nil
  }

  private static func bare(_ text: String, storage: StorageSettings) throws(Violation) -> StorageAddress {
    for scheme in ["gs:", "https:", "http:"] where text.lowercased().hasPrefix(scheme + "/") {
      throw Violation("one `/` is missing", hint: "write `\(scheme)//…`")
    }
    guard let bucket = storage.bucket else { throw .lackOfBucket }
    return normalized(StorageAddress(bucket: bucket, object: ObjectName(text)), storage: storage)
  }

  private static func address(_ text: String, storage: StorageSettings) throws(Violation) -> StorageAddress {
    do {
      return normalized(try StorageAddress(parsing: text), storage: storage)
    } catch {
      throw Violation("no storage reference: \(error.message)")
    }
  }

  fileprivate static func normalized(_ address: StorageAddress, storage: StorageSettings) -> StorageAddress {
    storage.api == .firebase ? address.normalized() : address
  }

  /// Whether the link carries its own permission: a Firebase download token, or a signature of Google's (V2, V4).
  fileprivate static func isSigned(_ url: HTTPURL) -> Bool {
    guard url.hasQuery else { return false }
    let permissions = ["token", "signature", "x-goog-signature", "access_token"]
    return url.queryItems.contains { permissions.contains($0.name.lowercased()) }
  }
}

/// Reads links; it remembers the latest plain URL, because the next one mostly is at the same server.
struct LinkReader {
  private(set) var latest: HTTPURL?
  /// Of the latest.
  private(set) var server: StorageServer?
  /// Whether only the path decides there what a link is to.
  var isPlainServer: Bool { server == .local && latest?.origin.isLoopback == true }

  init() {}

  mutating func read(_ text: String, storage: StorageSettings) throws(Reference.Violation) -> Reference {
    let url: HTTPURL
    do {
      url = try HTTPURL(parsing: text, near: latest)
    } catch {
      throw Reference.Violation("no URL: \(error.rawValue)")
    }
    guard !Reference.isSigned(url), url.userInfo == nil, let server = server(of: url, storage: storage) else {
      return .web(url)
    }
    do {
      var address = try StorageAddress(link: url)
      if url.origin == storage.emulator { address.endpoint = nil }
      return .storage(Reference.normalized(address, storage: storage))
    } catch  where error.kind == .form && server == .local {
      return .web(url)
    } catch {
      throw Reference.Violation("no link to an object: \(error.message)")
    }
  }

  private mutating func server(of url: HTTPURL, storage: StorageSettings) -> StorageServer? {
    if let latest, latest.origin == url.origin { return server }
    let found = StorageServer(of: url, storage: storage)
    // At Google's own servers the path may decide.
    if found != .google, url.origin.host != "www.googleapis.com" { (latest, server) = (url, found) }
    return found
  }
}

/// Which servers' links are storage references.
enum StorageServer {
  case google
  /// The emulator of the manifest, or one on this machine: its path decides.
  case local

  fileprivate init?(of url: HTTPURL, storage: StorageSettings) {
    let origin = url.origin
    if origin == storage.emulator || origin.isLoopback {
      self = .local
      return
    }
    guard origin.port == origin.scheme.defaultPort else { return nil }
    switch origin.host {
    case "firebasestorage.googleapis.com", "storage.googleapis.com", "storage.cloud.google.com": self = .google
    case "www.googleapis.com":
      guard url.path.hasPrefix("/storage/v1/b/") || url.path.hasPrefix("/download/storage/v1/b/") else { return nil }
      self = .google
    default:
      guard origin.host.hasSuffix(".storage.googleapis.com") else { return nil }
      self = .google
    }
  }
}

extension HTTPURL {
  /// The names and values of the query, as written.
  var queryItems: [(name: Substring, value: Substring)] {
    guard let query else { return [] }
    return query.utf8.split(separator: UInt8(ascii: "&")).map { pair in
      let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      return (Substring(pair[..<equals]), Substring(pair[equals...].dropFirst()))
    }
  }
}
