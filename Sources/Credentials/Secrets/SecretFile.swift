// Reads a file that holds one secret.

import Glibc
package import TransferModel

package enum SecretFile {
  /// No secret is longer; a larger file is a mistake.
  private static let limit = 64 << 10

  package static func read(_ path: String) throws(TransferFailure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw SecretReader.failure(
        "\(path): \(String(cString: strerror(errno)))", hint: "Check the path and who may read it.")
    }
    defer { close(descriptor) }
    return try drain(descriptor, limit: limit, label: path)
  }

  /// Everything that can be read from a descriptor, up to `limit`.
  static func drain(_ descriptor: Int32, limit: Int, label: String) throws(TransferFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw SecretReader.failure("\(label): \(String(cString: strerror(errno)))", hint: nil)
      }
      if count == 0 { return bytes }
      bytes.append(contentsOf: buffer[..<count])
      guard bytes.count <= limit else {
        throw SecretReader.failure("\(label) gives more than \(limit) bytes", hint: nil)
      }
    }
  }
}

extension SecretFile {
  /// Whether something is there, readable or not.
  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 || errno != ENOENT }
}
