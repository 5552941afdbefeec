// Programs that mirror starts: one that prints a secret, one that is told of changes. What goes in and comes out are files
// that the caller has open; what it means is the caller's.

import CLinux
import Glibc

/// A program that runs. Whoever starts it has to wait for it, once; any thread may.
package struct ChildProcess: Sendable {
  package let number: Int32
  private let ownsGroup: Bool

  /// How a program is started.
  package struct Setting: Sendable {
    /// An open descriptor that it reads from; nil = nothing.
    package var input: Int32?
    /// An open descriptor that it writes to; nil = our standard error, so that nothing of it is taken for our results.
    package var output: Int32?
    /// The folder that it starts in; nil = ours.
    package var folder: String?
    /// Variables that it has beside ours, in place of ours where they have the same name.
    package var variables: [String: String] = [:]
    /// Whether it leads a group of its own: then a signal reaches what it has started, and the terminal's do not reach it.
    package var ownsGroup = false

    package init() {}
  }

  /// The program could not be started.
  package struct StartError: Error, Hashable {
    /// errno(3).
    package let number: Int32
    package var text: String { String(cString: strerror(number)) }
  }

  /// Starts `words[0]`, found on the PATH, with the other words as its arguments and no shell between; with no signal
  /// blocked or ignored, whatever the thread that starts it has blocked (transfer threads block all).
  package init(_ words: [String], _ setting: Setting = Setting()) throws(StartError) {
    guard let program = words.first else { throw StartError(number: EINVAL) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Each of these fails only for want of memory, which shows when the program is started without it: so they count.
    var code = Self.redirect(&actions, setting)
    if code == 0 { code = Self.prepare(&attributes, setting) }
    guard code == 0 else { throw StartError(number: code) }

    var child: pid_t = 0
    code = Self.withCStrings(words) { arguments in
      Self.withCStrings(Self.environment(with: setting.variables)) { variables in
        posix_spawnp(&child, program, &actions, &attributes, arguments, variables)
      }
    }
    guard code == 0 else { throw StartError(number: code) }
    number = child
    ownsGroup = setting.ownsGroup
  }

  private static func redirect(_ actions: inout posix_spawn_file_actions_t, _ setting: Setting) -> Int32 {
    var code: Int32
    if let input = setting.input {
      code = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    } else {
      code = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    }
    if code == 0 {
      code = posix_spawn_file_actions_adddup2(&actions, setting.output ?? STDERR_FILENO, STDOUT_FILENO)
    }
    if code == 0, let folder = setting.folder { code = mirror_spawn_in(&actions, folder) }
    return code
  }

  private static func prepare(_ attributes: inout posix_spawnattr_t, _ setting: Setting) -> Int32 {
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    if setting.ownsGroup { flags |= POSIX_SPAWN_SETPGROUP }
    var code = posix_spawnattr_setsigmask(&attributes, &none)
    if code == 0 { code = posix_spawnattr_setsigdefault(&attributes, &all) }
    if code == 0 { code = posix_spawnattr_setpgroup(&attributes, 0) }
    if code == 0 { code = posix_spawnattr_setflags(&attributes, Int16(flags)) }
    return code
  }

  private static func environment(with variables: [String: String]) -> [String] {
    var texts: [String] = []
    var place = Glibc.environ
    while let text = place.pointee {
      let entry = String(cString: text)
      if !variables.keys.contains(where: { entry.hasPrefix("\($0)=") }) { texts.append(entry) }
      place += 1
    }
    return texts + variables.map { "\($0.key)=\($0.value)" }
  }

  private static func withCStrings<Value>(
    _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Value
  ) -> Value {
    let copies: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }

  // MARK: Its end

  /// How a program ended.
  package enum End: Hashable, Sendable {
    case exit(Int32)
    case signal(Int32)

    /// What waitpid(2) says.
    init(status: Int32) {
      let signal = status & 0x7F
      self = signal == 0 ? .exit(status >> 8 & 0xFF) : .signal(signal)
    }

    package var isSuccess: Bool { self == .exit(0) }

    package var text: String {
      switch self {
      case .exit(let status): "exit status \(status)"
      case .signal(let number): "killed by signal \(number)"
      }
    }
  }

  /// Waits for its end.
  package func wait() -> End {
    var status: Int32 = 0
    while waitpid(number, &status, 0) < 0, errno == EINTR {}
    return End(status: status)
  }

  /// Its end, if it has come; not to be asked again then.
  package func ended() -> End? {
    var status: Int32 = 0
    return waitpid(number, &status, WNOHANG) == number ? End(status: status) : nil
  }

  package func send(signal: Int32) { kill(ownsGroup ? -number : number, signal) }
}
