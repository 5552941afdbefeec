// The checksums that Google's servers send about an object, in headers and in JSON.

/// Reads `x-goog-hash` and the base64 members `crc32c` and `md5Hash`.
package enum GoogHash {
  /// What a set of header lines says.
  package struct Reading: Hashable, Sendable {
    package var digests: DigestSet
    /// One sentence for each value that could not be read and counts as absent.
    package var warnings: [String]

    package init(digests: DigestSet = DigestSet(), warnings: [String] = []) {
      self.digests = digests
      self.warnings = warnings
    }
  }

  /// Two different values for one algorithm: the response cannot be trusted.
  package struct Contradiction: Error, Hashable, Sendable {
    package var algorithm: DigestAlgorithm
    package init(algorithm: DigestAlgorithm) { self.algorithm = algorithm }
  }

  /// Reads every `x-goog-hash` line of a response; each may hold several values, separated by commas. An algorithm that
  /// is not known is ignored. The values cover the whole stored object, also in an answer to a range.
  package static func read(_ lines: [String]) throws(Contradiction) -> Reading {
    var reading = Reading()
    for line in lines {
      for part in line.split(separator: ",") {
        let pair = ASCII.trimmed(part)
        guard let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
        let name = pair[..<equals].lowercased()
        guard let algorithm = DigestAlgorithm(rawValue: name) else { continue }
        let value = ASCII.trimmed(Substring(pair.utf8[equals...].dropFirst()))
        guard let digest = digest(algorithm, String(value)) else {
          reading.warnings.append("x-goog-hash has an unreadable \(name) value, which counts as absent")
          continue
        }
        if let earlier = reading.digests[algorithm], earlier != digest { throw Contradiction(algorithm: algorithm) }
        reading.digests[algorithm] = digest
      }
    }
    return reading
  }

  /// One value: base64 of the algorithm's length, and for crc32c also an unsigned decimal number, as the Firebase emulator
  /// writes it. nil when it is neither.
  package static func digest(_ algorithm: DigestAlgorithm, _ value: String) -> Digest? {
    if algorithm == .crc32c, value.utf8.count <= 10, let number = ASCII.number(value.utf8) {
      return UInt32(exactly: number).map { Digest(crc32c: $0) }
    }
    return Base64.decode(value).flatMap { Digest(algorithm, bytes: $0) }
  }
}
