// The process's surroundings: environment variables, the machine's name.

import Glibc

enum ProcessEnvironment {
  /// The value of a variable; nil when it is not set or not UTF-8.
  @Sendable static func value(_ name: String) -> String? {
    getenv(name).flatMap { String(validatingCString: $0) }
  }

  static var hostName: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
    return buffer.withUnsafeBufferPointer { pointer in
      pointer.baseAddress.flatMap { String(validatingCString: $0) } ?? "localhost"
    }
  }
}
