// A child process that talks over two pipes: for what one process alone cannot show.

import Glibc
import Testing
import TransferModel

/// `sh -c script`, ended by closing its input.
final class PipedShell {
  private let processID: pid_t
  private var input: Int32
  private let output: Int32

  /// Pipes are made and marked under this lock, so that no other child inherits an end and keeps it open.
  private static let spawning = Lock(Exclusive())

  init(_ script: String, _ arguments: String...) throws {
    var words = (["sh", "-c", script, "sh"] + arguments).map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    (processID, input, output) = try Self.spawning.withLock { _ in try Self.spawn(&words) }
  }

  private static func spawn(_ words: inout [UnsafeMutablePointer<CChar>?]) throws -> (pid_t, Int32, Int32) {
    var (into, out) = ([Int32](repeating: 0, count: 2), [Int32](repeating: 0, count: 2))
    try #require(pipe(&into) == 0)
    try #require(pipe(&out) == 0)
    for end in into + out { try #require(fcntl(end, F_SETFD, FD_CLOEXEC) == 0) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, into[0], 0)
    posix_spawn_file_actions_adddup2(&actions, out[1], 1)
    var child = pid_t(0)
    let result = posix_spawn(&child, "/bin/sh", &actions, nil, words, environ)
    close(into[0])
    close(out[1])
    try #require(result == 0)
    return (child, into[1], out[0])
  }

  /// Waits for the next line of output; empty at its end.
  func line() -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while read(output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Ends it: gently by the end of its input, or at once.
  func end(killing: Bool = false) {
    guard input >= 0 else { return }
    if killing { kill(processID, SIGKILL) }
    close(input)
    input = -1
    var status: Int32 = 0
    while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
    close(output)
  }

  deinit { end() }
}
