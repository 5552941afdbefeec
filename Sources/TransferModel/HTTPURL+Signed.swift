// Links that are their own key.

extension HTTPURL {
  /// Whether the query holds a download token or a signature: such a link is fetched byte for byte as it is, with nothing
  /// added and without `Authorization`, which would make a signed link fail.
  ///
  /// Told by the parameter's name: `token` (Firebase), `X-Goog-Signature` and `Signature` (Google V4 and V2),
  /// `X-Amz-Signature` and `sig` (other stores).
  package var isSigned: Bool {
    guard let query else { return false }
    return query.utf8.split(separator: UInt8(ascii: "&")).contains { pair in
      let name = pair.prefix { $0 != UInt8(ascii: "=") }
      return name.count < pair.count - 1
        && Self.signatureNames.contains { ASCII.equalIgnoringCase(name, $0.utf8) }
    }
  }

  private static let signatureNames = ["token", "X-Goog-Signature", "Signature", "X-Amz-Signature", "sig"]
}
