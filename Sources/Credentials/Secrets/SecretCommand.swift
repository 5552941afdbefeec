// Runs a program that prints one secret.

import Glibc
package import TransferModel

package enum SecretCommand {
  private static let limit = 64 << 10

  /// Runs `words[0]` (found on the PATH) with the other words as arguments, no shell between, standard input empty, its
  /// talk going to our standard error; returns what it prints. Waits for it to end.
  package static func run(_ words: [String]) throws(TransferFailure) -> [UInt8] {
    guard let program = words.first else { throw SecretReader.failure("the command is empty", hint: nil) }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw SecretReader.failure("no pipe: \(String(cString: strerror(errno)))", hint: nil)
    }
    let (reading, writing) = (ends[0], ends[1])
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(reading) }
    let child: pid_t
    do throws(TransferFailure) {
      child = try spawn(program, words, output: writing)
    } catch {
      close(writing)
      throw error
    }
    close(writing)
    let output = Result { () throws(TransferFailure) in
      try SecretFile.drain(reading, limit: limit, label: "the command \(program)")
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else {
      throw SecretReader.failure(
        "the command \(program) failed (wait status \(status))", hint: "Run it by hand to see why.")
    }
    return try output.get()
  }

  private static func spawn(
    _ program: String, _ words: [String], output: Int32
  ) throws(TransferFailure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var child: pid_t = 0
    let result = posix_spawnp(&child, program, &actions, nil, arguments, environ)
    guard result == 0 else {
      throw SecretReader.failure(
        "the command \(program) cannot be started: \(String(cString: strerror(result)))", hint: "Is it on the PATH?")
    }
    return child
  }
}
