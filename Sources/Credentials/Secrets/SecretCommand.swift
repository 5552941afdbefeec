// Runs a program that prints one secret.

import ChildProcesses
import Glibc
package import TransferModel

package enum SecretCommand {
  /// No secret is longer.
  private static let limit = 64 << 10

  /// Runs `words[0]` (found on the PATH) with the other words as arguments, no shell between, standard input empty, its
  /// talk going to our standard error; returns what it prints. Waits for it to end, two minutes at most, then kills it.
  package static func run(_ words: [String]) throws(TransferFailure) -> [UInt8] {
    try run(words, timeout: .seconds(120))
  }

  static func run(_ words: [String], timeout: Duration) throws(TransferFailure) -> [UInt8] {
    guard let program = words.first else { throw SecretReader.failure("the command is empty", hint: nil) }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw SecretReader.failure("no pipe: \(String(cString: strerror(errno)))", hint: nil)
    }
    let (reading, writing) = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(reading) }
    let child: ChildProcess
    do {
      var setting = ChildProcess.Setting()
      setting.output = writing
      child = try ChildProcess(words, setting)
    } catch {
      close(writing)
      throw SecretReader.failure("the command \(program) cannot be started: \(error.text)", hint: "Is it on the PATH?")
    }
    close(writing)
    let output = Result { () throws(TransferFailure) in try drain(reading, program, timeout: timeout) }
    // What it prints has ended, or is of no use: it must not be waited for any longer.
    if case .failure = output { child.send(signal: SIGKILL) }
    let end = child.wait()
    let bytes = try output.get()
    guard end.isSuccess else {
      throw SecretReader.failure("the command \(program) failed (\(end.text))", hint: "Run it by hand to see why.")
    }
    return bytes
  }

  /// Everything that the program prints, until it closes its output.
  private static func drain(
    _ descriptor: Int32, _ program: String, timeout: Duration
  ) throws(TransferFailure) -> [UInt8] {
    let end = now() + timeout
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, Int32(clamping: max(0, (end - now()).inMilliseconds)))
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else {
        throw SecretReader.failure(
          "the command \(program) printed nothing for \(Int(timeout.inSeconds)) s",
          hint: "It gets no input; does it wait for some?")
      }
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw SecretReader.failure("the command \(program): \(String(cString: strerror(errno)))", hint: nil)
      }
      if count == 0 { return bytes }
      bytes.append(contentsOf: buffer[..<count])
      guard bytes.count <= limit else {
        throw SecretReader.failure("the command \(program) prints more than \(limit) bytes", hint: nil)
      }
    }
  }

  private static func now() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
