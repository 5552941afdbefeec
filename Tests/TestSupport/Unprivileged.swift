// File permissions that hold even when the tests run as root, as they do in containers.

import Glibc

/// Runs `body` on this thread with the file rights of user "nobody" when the tests run as root, so that a folder that is
/// not writable is not writable; runs it as it is otherwise.
///
/// `setfsuid(2)` is per thread and lifts root's capabilities over files with it. `body` must not suspend.
package func withoutFilePrivileges<Answer>(_ body: () throws -> Answer) throws -> Answer {
  guard geteuid() == 0 else { return try body() }
  typealias SetUser = @convention(c) (UInt32) -> Int32
  let setUser = try unlistedFunction("setfsuid", as: SetUser.self)
  let before = setUser(65_534)
  defer { _ = setUser(UInt32(bitPattern: before)) }
  return try body()
}
