// Which characters of a manifest's line are secret: a log that shows the line must not show them.

/// Finds permissions in links: the values of `token=` and of signatures, and the user information of a URL.
enum SecretMask {
  /// For each character, whether it is secret; from the column `hiddenFrom` on (counted from 1), all are.
  static func mask(of line: [Unicode.Scalar], hiddenFrom: Int?) -> [Bool] {
    var mask = [Bool](repeating: false, count: line.count)
    if let hiddenFrom {
      for index in line.indices.dropFirst(max(0, hiddenFrom - 1)) { mask[index] = true }
    }
    for (index, scalar) in line.enumerated() {
      if scalar == "=", isSecretName(before: index, in: line) {
        for hidden in line.indices[(index + 1)...].prefix(while: { !endsValue(line[$0]) }) { mask[hidden] = true }
      }
      if scalar == ":", line[index...].starts(with: "://".unicodeScalars) {
        maskUserInformation(from: index + 3, in: line, &mask)
      }
    }
    return mask
  }

  private static let names = ["token", "signature", "key", "password", "secret"].map { Array($0.unicodeScalars) }

  /// Whether a name such as `X-Goog-Signature` or `access_token` stands in front of the `=`.
  private static func isSecretName(before end: Int, in line: [Unicode.Scalar]) -> Bool {
    names.contains { name in
      guard end >= name.count else { return false }
      return zip(line[(end - name.count)..<end], name).allSatisfy { Unicode.Scalar($0.value | 0x20) == $1 }
    }
  }

  private static func endsValue(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "&", " ", "\t", "\"", "'", ",", "]", "}", "#": true
    default: false
    }
  }

  private static func maskUserInformation(from start: Int, in line: [Unicode.Scalar], _ mask: inout [Bool]) {
    let authority = line[start...].prefix { $0 != "/" && $0 != "?" && !endsValue($0) }
    guard let at = authority.lastIndex(of: "@") else { return }
    for index in start..<at { mask[index] = true }
  }
}
