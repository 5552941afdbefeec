// The programs that were built together with the tests.

import Foundation

/// Paths of the package's executables, for tests that run them.
package enum BuiltProducts {
  /// The folder that the running test program was built into, `.build/debug` as a rule; `MIRROR_BUILT_PRODUCTS` names
  /// another.
  package static var folder: String {
    if let folder = ProcessInfo.processInfo.environment["MIRROR_BUILT_PRODUCTS"] { return folder }
    let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let folder = (program as NSString).deletingLastPathComponent
    // Where tests are run by a program of the toolchain, they say themselves where they were built.
    return FileManager.default.isExecutableFile(atPath: "\(folder)/mirror") ? folder : "\(packageFolder)/.build/debug"
  }

  package static var mirror: String { "\(folder)/mirror" }
  package static var storageEmulator: String { "\(folder)/storage-emulator" }

  /// The folder of `Package.swift`.
  package static var packageFolder: String {
    var path = #filePath as NSString
    for _ in 0..<3 { path = path.deletingLastPathComponent as NSString }
    return path as String
  }
}
