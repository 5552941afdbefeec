// What a file must look like at the moment before it gets its final name.

import Glibc
import TransferModel

/// Length, mode and time of a finished file.
struct FinalForm {
  /// How many bytes were written and hashed.
  var size: Int64
  /// nil = as it was created.
  var mode: UInt16?
  /// nil = when it was last written.
  var modified: Timestamp?
  /// Whether it is synced.
  var durable: Bool
  /// How many names it has until then: one, or none yet.
  var names = 1

  /// Gives the open file this form and says how it looks then.
  ///
  /// The one fstat answers three questions: does the disk hold as many bytes as were hashed (P08), does the mode differ
  /// from the wanted one (a chmod only then), and what will the recorded stamp be. Neither rename(2) nor link(2)
  /// changes any of them.
  func apply(to descriptor: Int32) throws(SystemError) -> LocalStamp {
    if let modified {
      try SystemCall.setModified(descriptor, seconds: modified.seconds, nanoseconds: modified.nanoseconds)
    }
    let status = try SystemCall.status(of: descriptor)
    guard status.linkCount == names else { throw SystemError(errno: ENOENT, operation: "finish") }
    guard status.stamp.size == size else { throw SystemError(errno: EIO, operation: "store all bytes of") }
    if let mode, status.mode != mode { try SystemCall.setMode(descriptor, mode) }
    if durable { try SystemCall.sync(descriptor) }
    return status.stamp
  }
}
