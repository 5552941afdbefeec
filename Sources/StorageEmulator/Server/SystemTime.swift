// The one clock of the server. Nothing in it decides by the time: it stamps requests, answers and new objects.

import Glibc
import TransferModel

extension Timestamp {
  static func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
  }
}
