// Where warnings go when nobody takes them.

import Glibc

enum StandardErrorLine {
  /// Writes the line, whole lines at a time; a closed standard error is no reason to fail.
  @Sendable static func write(_ line: String) {
    let bytes = Array("CloudStorage: \(line)\n".utf8)
    _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
