// One call of posix_spawn(3), with what it needs made and freed.

import Glibc

/// What to start, and with what.
struct Spawn {
  var executable: String
  var arguments: [String]
  var environment: [String: String]
  var folder: String?
  var files: (input: String, output: String, error: String)

  /// - Returns: the child's process number.
  func start() throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    try check(posix_spawn_file_actions_init(&actions))
    defer { posix_spawn_file_actions_destroy(&actions) }
    try check(posix_spawnattr_init(&attributes))
    defer { posix_spawnattr_destroy(&attributes) }
    try describe(&actions)
    try describe(&attributes)

    let argumentVector = ([executable] + arguments).map { strdup($0) } + [nil]
    let environmentVector = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { (argumentVector + environmentVector).forEach { free($0) } }
    var pid: pid_t = 0
    let code = posix_spawnp(&pid, executable, &actions, &attributes, argumentVector, environmentVector)
    guard code == 0 else { throw SystemError("start \(executable)", code) }
    return pid
  }

  private func describe(_ actions: inout posix_spawn_file_actions_t) throws {
    let append = O_WRONLY | O_CREAT | O_APPEND
    try check(posix_spawn_file_actions_addopen(&actions, 0, files.input, O_RDONLY, 0))
    try check(posix_spawn_file_actions_addopen(&actions, 1, files.output, append, 0o600))
    try check(posix_spawn_file_actions_addopen(&actions, 2, files.error, append, 0o600))
    let closeFrom = try unlistedFunction("posix_spawn_file_actions_addclosefrom_np", as: CloseFrom.self)
    try check(closeFrom(&actions, 3))
    guard let folder else { return }
    let changeFolder = try unlistedFunction("posix_spawn_file_actions_addchdir_np", as: ChangeFolder.self)
    try check(changeFolder(&actions, folder))
  }

  private typealias CloseFrom =
    @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
  private typealias ChangeFolder =
    @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>) -> Int32

  /// No signal blocked, none ignored: a test program may have done either.
  private func describe(_ attributes: inout posix_spawnattr_t) throws {
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    try check(posix_spawnattr_setsigmask(&attributes, &none))
    try check(posix_spawnattr_setsigdefault(&attributes, &all))
    try check(posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)))
  }

  private func check(_ code: Int32) throws {
    guard code == 0 else { throw SystemError("prepare to start \(executable)", code) }
  }
}
