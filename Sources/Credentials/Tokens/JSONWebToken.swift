// JSON Web Tokens (RFC 7519): made for Google's token service, and read for the time of their end.
// No signature is ever checked here: that is for the server to whom a token is sent.

import TransferModel

enum JSONWebToken {
  /// `header.claims.signature`, signed with RS256 (RFC 7518 section 3.3).
  static func signed(
    keyID: String?, claims: JSONValue, key: RSAPrivateKey
  ) throws(TransferFailure) -> String {
    var header: [JSONValue.Member] = [.init("alg", .string("RS256")), .init("typ", .string("JWT"))]
    if let keyID { header.append(.init("kid", .string(keyID))) }
    let text = encoded(.object(header)) + "." + encoded(claims)
    return text + "." + base64URL(try key.sign(Array(text.utf8)))
  }

  /// The `exp` claim; nil when the text is no JWT or has none. Tokens without a signature (`h.p.`) count too.
  static func expiry(of token: String) -> Timestamp? {
    claims(of: token)?["exp"]?.int64.map { Timestamp(seconds: $0) }
  }

  /// How long a token serves from now on; nil when it does not say.
  static func lifetime(of token: String, at now: Timestamp) -> Duration? {
    expiry(of: token).map { $0 - now }
  }

  private static func claims(of token: String) -> JSONValue? {
    let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    var symbols = String(Substring(parts[1]))
    symbols = String(symbols.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    while symbols.utf8.count % 4 != 0 { symbols += "=" }
    return Base64.decode(symbols).flatMap { try? JSONValue(parsing: $0) }
  }

  private static func encoded(_ document: JSONValue) -> String {
    var writer = JSONWriter()
    writer.value(document)
    return base64URL(writer.bytes)
  }

  /// RFC 4648 section 5, without padding.
  static func base64URL(_ bytes: [UInt8]) -> String {
    String(Base64.encode(bytes).compactMap { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 == "=" ? nil : $0 })
  }
}
