// The libraries of `Tests/FaultLibrary`, built by the test that needs one.

import Foundation

/// Makes system calls of a child fail. Built once, with the C compiler that Swift's linker needs anyway.
package final class FaultLibrary: Sendable {
  package enum Call: String, Sendable {
    case write, short, open, unnamed, rename, link, sync, truncate, read
  }

  private let folder: TemporaryDirectory
  private let path: String

  /// - Parameter source: `fault.c`, or another file beside it.
  package init(_ source: String = "fault.c") throws {
    folder = try TemporaryDirectory(named: "mirror-fault")
    path = folder.path("fault.so")
    let source = BuiltProducts.packageFolder + "/Tests/FaultLibrary/\(source)"
    let result = try ChildProcess.run("cc", ["-shared", "-fPIC", "-O1", "-Wall", "-o", path, source, "-ldl"])
    guard result.status == 0 else { throw ServerDidNotStart(name: "cc", log: result.errorText) }
  }

  /// What a child's environment needs.
  ///
  /// - Parameters:
  ///   - number: the error number; `short` gives none.
  ///   - path: only files whose path contains it.
  ///   - after: bytes that pass before, or calls where the call moves no bytes.
  package func environment(
    _ call: Call, _ number: Int32 = EIO, path text: String, after: Int = 0
  ) -> [String: String] {
    [
      "LD_PRELOAD": path, "MIRROR_FAULT_CALL": call.rawValue, "MIRROR_FAULT_ERRNO": String(number),
      "MIRROR_FAULT_PATH": text, "MIRROR_FAULT_AFTER": String(after),
    ]
  }

  /// What a child's environment needs for a library that is told nothing.
  package var environment: [String: String] { ["LD_PRELOAD": path] }

  /// That name has two addresses: ::1, and after it 127.0.0.1.
  package func environment(resolving name: String) -> [String: String] {
    ["LD_PRELOAD": path, "MIRROR_FAULT_NAME": name]
  }

  /// The wall clock jumps back and forth by that much, between any two looks at it.
  package func environment(clockJumps duration: Duration) -> [String: String] {
    ["LD_PRELOAD": path, "MIRROR_FAULT_CLOCK": String(duration.components.seconds)]
  }

  package static let isAvailable: Bool = (try? FaultLibrary()) != nil
  package static let howToGet = "needs a C compiler (cc)"
}
