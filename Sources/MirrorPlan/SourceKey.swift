// Names a reference in the state without its secrets. What people read is `RedactedURL` or `gs://…`, never this.

import TransferModel

/// A text that is equal for two references exactly when they name the same object, as far as that can be told without
/// asking a server. Validators that were recorded under one key say nothing about another.
///
/// | reference | key |
/// | --- | --- |
/// | object in a bucket | `gs://bucket/object` |
/// | the same, at a server of its own | `gs+http://host:port/bucket/object` |
/// | URL | the redacted URL |
/// | URL with parameters that are neither harmless nor part of a signature | the redacted URL, a blank, 8 hex digits |
///
/// The digits stand for the values of those parameters (`?id=7` and `?id=8` are two objects). Parameters that sign or
/// date a URL are left out of them, so that a renewed signature is no new object; 32 bits tell values apart and do not
/// give a secret away.
package struct SourceKey: ByteOrdered, Sendable, CustomStringConvertible {
  package let text: String
  package var description: String { text }

  /// A key as it was recorded.
  package init(recorded text: String) { self.text = text }

  package init(_ reference: Reference) {
    switch reference {
    case .storage(let address): text = Self.text(of: address)
    case .web(let url): text = Self.text(of: url)
    }
  }

  private static func text(of address: StorageAddress) -> String {
    let path = address.bucket + "/" + (address.object?.text ?? "")
    return address.endpoint.map { "gs+\($0)/\(path)" } ?? "gs://\(path)"
  }

  private static func text(of url: HTTPURL) -> String {
    guard url.hasQuery else { return RedactedURL(url).text }
    let pairs = (url.query ?? "").split(separator: "&", omittingEmptySubsequences: true)
    let telling = pairs.filter { pair in !isPartOfSignature(pair.prefix { $0 != "=" }.lowercased()) }
    guard !telling.isEmpty else {
      return RedactedURL(HTTPURL(origin: url.origin, userInfo: url.userInfo, path: url.path)).text
    }
    let query = telling.joined(separator: "&")
    var fingerprint = EntryFingerprint()
    fingerprint.combine(query.utf8)
    let shown = RedactedURL(HTTPURL(origin: url.origin, userInfo: url.userInfo, path: url.path, query: query)).text
    return "\(shown) \(fingerprint.shortHex)"
  }

  /// Signed URLs of Google (V2, V4), Amazon (V2, V4, CloudFront) and Azure, and Firebase's download token.
  private static let signatureNames: Set<String> = [
    "token", "signature", "expires", "googleaccessid", "awsaccesskeyid", "policy", "key-pair-id",
    "sig", "se", "st", "sp", "sv", "sr", "spr", "skoid", "sktid", "skt", "ske", "sks", "skv", "access_token",
  ]

  private static func isPartOfSignature(_ name: String) -> Bool {
    signatureNames.contains(name) || name.hasPrefix("x-goog-") || name.hasPrefix("x-amz-")
  }
}

/// The keys of some references. They are made when they are asked for: that of a plain URL is the URL's own text.
package struct SourceKeys: RandomAccessCollection, Sendable {
  private let references: [Reference]

  init(_ references: [Reference]) { self.references = references }

  package var startIndex: Int { 0 }
  package var endIndex: Int { references.count }
  package subscript(position: Int) -> SourceKey { SourceKey(references[position]) }
}

extension Reference {
  /// The reference as it may be printed.
  package var display: String {
    switch self {
    case .storage(let address): "gs://\(address.bucket)/\(address.object?.text ?? "")"
    case .web(let url): RedactedURL(url).text
    }
  }
}
