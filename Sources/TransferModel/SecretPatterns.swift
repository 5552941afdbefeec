// What a secret looks like in a text whose author we do not know: an error body, a header line, a log of another program.

/// Finds values that stand behind a telling name, and tokens that can be told by their own form.
///
/// | found | replaced |
/// | --- | --- |
/// | `Authorization: …`, `Cookie: …` and their kin | the rest of the line |
/// | `token=…`, `X-Goog-Signature=…`, `password=…`, `?key=…` | the value |
/// | `"access_token": "…"`, `idToken: …` | the value; without quotes only when it looks like a token |
/// | `Bearer …`, `Basic …`, `Firebase …` | what follows, when it looks like a token |
/// | `eyJ….….…`, `ya29.…`, `AIza…` | all of it: a signed token, a Google access token, an API key |
/// | `https://user:password@host` | the user information |
enum SecretPatterns {
  static func redact(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      if isWordByte(bytes[index]) {
        let end = behind(bytes, from: index, while: isWordByte)
        let secret = secretBehindWord(bytes, word: index..<end) ?? tokenByForm(bytes, from: index)
        let copied = secret?.lowerBound ?? end
        result.append(contentsOf: bytes[index..<copied])
        if secret != nil { result.append(contentsOf: Redactor.mark.utf8) }
        index = secret?.upperBound ?? end
      } else if let secret = userInformation(bytes, at: index) {
        result.append(contentsOf: bytes[index..<secret.lowerBound])
        result.append(contentsOf: Redactor.mark.utf8)
        index = secret.upperBound
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return result
  }

  // MARK: - Names that tell

  private static let wholeLineNames: Set<String> = [
    "authorization", "proxy-authorization", "cookie", "set-cookie", "x-firebase-appcheck",
    "x-goog-iam-authorization-token",
    "x-serverless-authorization", "www-authorization", "x-api-key", "x-goog-api-key", "x-auth-token", "private-token",
  ]
  private static let valueNames: Set<String> = [
    "sig", "signature", "googleaccessid", "assertion", "pwd", "passwd", "apikey", "api_key", "api-key", "auth", "jwt",
    "privatekey", "private_key", "downloadtokens", "firebasestoragedownloadtokens",
  ]
  private static let valueNameEndings = ["token", "secret", "password", "signature", "credential"]
  private static let harmlessNames: Set<String> = ["pagetoken", "nextpagetoken", "token_type", "continuation-token"]
  private static let schemes: Set<String> = ["bearer", "basic", "firebase", "digest", "negotiate"]

  private static func secretBehindWord(_ bytes: [UInt8], word: Range<Int>) -> Range<Int>? {
    let name = String(decoding: bytes[word], as: UTF8.self).lowercased()
    if schemes.contains(name), word.upperBound < bytes.count, ASCII.isBlank(bytes[word.upperBound]) {
      let start = behind(bytes, from: word.upperBound, while: ASCII.isBlank)
      let end = behind(bytes, from: start, while: isTokenByte)
      return looksLikeToken(bytes[start..<end]) ? start..<end : nil
    }
    let isWholeLine = wholeLineNames.contains(name)
    guard isWholeLine || namesSecret(name) || isQueryKey(bytes, word, name) else { return nil }
    var place = word.upperBound
    if place < bytes.count, isQuote(bytes[place]) { place += 1 }
    place = behind(bytes, from: place, while: ASCII.isBlank)
    guard place < bytes.count, bytes[place] == UInt8(ascii: ":") || bytes[place] == UInt8(ascii: "=") else {
      return nil
    }
    let isAssignment = bytes[place] == UInt8(ascii: "=")
    place = behind(bytes, from: place + 1, while: ASCII.isBlank)
    guard place < bytes.count else { return nil }
    if isQuote(bytes[place]) { return quoted(bytes, from: place) }
    let end = behind(bytes, from: place) { isWholeLine && !isAssignment ? $0 >= 0x20 && !isQuote($0) : isValueByte($0) }
    guard end > place, isWholeLine || isAssignment || looksLikeToken(bytes[place..<end]) else { return nil }
    return place..<end
  }

  private static func namesSecret(_ name: String) -> Bool {
    guard !harmlessNames.contains(name) else { return false }
    return valueNames.contains(name) || valueNameEndings.contains { name.hasSuffix($0) }
  }

  /// `key` is too common a word to tell anything, except as a parameter of a URL.
  private static func isQueryKey(_ bytes: [UInt8], _ word: Range<Int>, _ name: String) -> Bool {
    guard name == "key", word.lowerBound > 0 else { return false }
    return "?&".utf8.contains(bytes[word.lowerBound - 1])
  }

  /// What stands between the quote at `place` and the next one of its kind that is not escaped.
  private static func quoted(_ bytes: [UInt8], from place: Int) -> Range<Int>? {
    var end = place + 1
    while end < bytes.count, bytes[end] != bytes[place] {
      end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    end = min(end, bytes.count)
    return end > place + 1 ? (place + 1)..<end : nil
  }

  // MARK: - Tokens that tell by their form

  private static func tokenByForm(_ bytes: [UInt8], from start: Int) -> Range<Int>? {
    let rest = bytes[start...]
    let isKnown = rest.starts(with: "eyJ".utf8) || rest.starts(with: "ya29.".utf8) || rest.starts(with: "AIza".utf8)
    guard isKnown else { return nil }
    let end = behind(bytes, from: start, while: isTokenByte)
    let dots = bytes[start..<end].count { $0 == UInt8(ascii: ".") }
    guard end - start >= 20, dots >= 1 || bytes[start] == UInt8(ascii: "A") else { return nil }
    return start..<end
  }

  private static func userInformation(_ bytes: [UInt8], at index: Int) -> Range<Int>? {
    guard bytes[index...].starts(with: "://".utf8) else { return nil }
    let start = index + 3
    let end = behind(bytes, from: start) { isValueByte($0) && !"/?#".utf8.contains($0) }
    guard let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")), at > start else { return nil }
    return start..<at
  }

  // MARK: - Bytes

  private static func behind(_ bytes: [UInt8], from start: Int, while condition: (UInt8) -> Bool) -> Int {
    var end = start
    while end < bytes.count, condition(bytes[end]) { end += 1 }
    return end
  }

  private static func looksLikeToken(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count >= 20 || bytes.count >= 8 && bytes.contains(where: ASCII.isDigit)
  }

  private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool { isWordByte(byte) || "._~+/=".utf8.contains(byte) }

  private static func isValueByte(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte != 0x7F && !"&\"'<>,;)]}".utf8.contains(byte)
  }
}
