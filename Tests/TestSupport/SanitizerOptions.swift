// What the tests' children need under a sanitizer (`Tests/sanitize.sh`), whatever else of the environment they do not get.

import Foundation

package enum SanitizerOptions {
  /// The sanitizers' own variables, so that what a child does wrong is written down where the script looks.
  package static let environment = ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }

  /// Which sanitizer the programs were built with; nil = none.
  package static let name = ProcessInfo.processInfo.environment["MIRROR_SANITIZER"]

  /// How many times longer a program may take under it.
  package static let slowness = name == nil ? 1 : 10
}
