// A failed system call, as tests report it.

import Glibc

/// What was tried, on what, and the system's error number.
package struct SystemError: Error, CustomStringConvertible {
  package var operation: String
  package var number: Int32

  /// - Parameter number: the error number; the thread's current one when left out.
  package init(_ operation: String, _ number: Int32 = errno) {
    self.operation = operation
    self.number = number
  }

  package var description: String { "\(operation): \(String(cString: strerror(number)))" }
}
