// Who closes a descriptor, and when. What is done with it is `SystemCall`.

import Glibc

/// Owns one open file descriptor and closes it when it goes out of scope. It cannot be copied, so it is closed once.
package struct FileDescriptor: ~Copyable, Sendable {
  /// The kernel's number; valid as long as this value lives.
  package let rawValue: Int32

  /// Takes over a descriptor that nothing else will close.
  package init(owning rawValue: Int32) { self.rawValue = rawValue }

  deinit { _ = Glibc.close(rawValue) }

  /// Closes now and tells how it went. Network file systems report here that earlier writes were lost. The descriptor
  /// is gone in either case: close(2) is never repeated on Linux.
  package consuming func close() throws(SystemError) {
    let number = rawValue
    discard self
    guard Glibc.close(number) == 0 else { throw SystemError(errno: errno, operation: "close") }
  }
}
