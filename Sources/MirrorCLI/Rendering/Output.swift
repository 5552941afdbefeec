// Writes to a descriptor of ours: standard output for results, standard error for talk.
// Swift's `print` is not used: its buffer is a global that threads may not share, and it hides errors.

import Glibc

/// Why results could not be written.
enum OutputFailure: Error, Hashable, Sendable {
  /// The reader has gone (`mirror plan … | head`). It has what it wanted, so a command whose only work is its output ends
  /// without a word and with `exitStatus`; `apply` finishes its work first.
  case readerGone
  /// `errno`: a full disk, most likely.
  case failed(Int32)

  /// What a shell reports for a program that SIGPIPE ended: 128 + 13.
  static let exitStatus: Int32 = 141
}

/// One descriptor, written through without a buffer. Safe from any thread; parts of one call are never mixed with
/// another's only up to `PIPE_BUF`, so whoever shares one takes turns (`Talk` does).
struct Output: Sendable {
  static let results = Output(descriptor: STDOUT_FILENO)
  static let talk = Output(descriptor: STDERR_FILENO)

  let descriptor: Int32

  /// A write to a pipe without a reader shall fail, not kill the process. Once, before anything is written.
  static func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
  }

  func write(_ text: String) throws(OutputFailure) {
    try write(Array(text.utf8)[...])
  }

  /// Writes everything, over interrupts, short writes and a descriptor that someone made non-blocking.
  func write(_ bytes: ArraySlice<UInt8>) throws(OutputFailure) {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: waitUntilWritable()
      case EPIPE: throw .readerGone
      case let code: throw .failed(code)
      }
    }
  }

  /// The result is not looked at: the next `write` says what is wrong.
  private func waitUntilWritable() {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = poll(&request, 1, -1)
  }
}
