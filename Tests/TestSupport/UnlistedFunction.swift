// Functions of the C library that the Glibc module does not show to Swift.

import Glibc

/// Finds a function by its name.
/// - Parameter type: its `@convention(c)` type; a wrong one is not noticed before it is called.
func unlistedFunction<Function>(_ name: String, as type: Function.Type) throws -> Function {
  guard let symbol = dlsym(nil, name) else { throw SystemError("find \(name) in the C library", ENOSYS) }
  return unsafeBitCast(symbol, to: type)
}
