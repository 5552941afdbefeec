// How many processors this process may use.

import Glibc

enum SystemProcessors {
  /// At least 1.
  static var count: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
