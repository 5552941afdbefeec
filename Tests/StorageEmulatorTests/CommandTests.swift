import Glibc
import StorageEmulator
import Testing

/// The command line, as words and as a process.
struct CommandTests {
  @Test(arguments: [
    [], ["--port", "x", "d"], ["--port"], ["--nope", "d"], ["a", "b"], ["--bucket", "x", "d"], ["--threads", "0", "d"],
    ["--quirks=odd", "d"], ["--quiet=1", "d"],
  ])
  func `usage errors exit with 2`(arguments: [String]) throws {
    let run = try Program(arguments)
    #expect(run.waitForExit() == 2)
    #expect(run.output.contains("storage-emulator: ") && run.output.contains("Try 'storage-emulator --help'."))
  }

  @Test func `--help begins with two examples, --version is one line`() throws {
    let help = try Program(["--help"])
    #expect(help.waitForExit() == 0)
    let lines = help.output.split(separator: "\n").map(String.init)
    #expect(lines[0].hasPrefix("storage-emulator ./buckets") && lines[2].hasPrefix("storage-emulator --bucket"))
    #expect(lines.allSatisfy { $0.utf8.count <= 120 })
    let version = try Program(["--version"])
    #expect(version.waitForExit() == 0 && version.output == "storage-emulator \(EmulatorCommand.version)\n")
  }

  @Test func `what cannot be served exits with 1 and says why`() throws {
    let run = try Program(["/no/such/folder"])
    #expect(run.waitForExit() == 1)
    #expect(
      run.output == "storage-emulator: '/no/such/folder' is no folder that can be read: No such file or directory\n")
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `it says where it listens, serves, logs, and ends on a signal with 0`(signal: Int32) throws {
    let folder = try ScratchFolder()
    folder.write("b/x", "something")
    folder.write("faults", "on b/x request 2 => status 503")
    let run = try Program([
      folder.path, "--port", "0", "--ready-file", folder.path + "/port", "--faults=" + folder.path + "/faults", "--log",
      folder.path + "/log",
    ])
    var port: UInt16?
    for _ in 0..<200 where port == nil {
      port = contents(folder.path + "/port").flatMap { UInt16($0.dropLast()) }
      usleep(10_000)
    }
    let client = try RawClient(port: try #require(port))
    #expect(client.exchange("GET", "/b/x").text == "something")
    #expect(client.exchange("GET", "/b/x").status == 503)
    run.send(signal)
    #expect(run.waitForExit() == 0)
    #expect(run.output == "storage-emulator is listening on http://127.0.0.1:\(port ?? 0)\n")
    #expect(contents(folder.path + "/log")?.split(separator: "\n").count == 2)
  }

  private func contents(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    return String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
  }
}

/// The built program as a child; its two outputs are collected together.
private final class Program {
  private var child: pid_t = 0
  private let pipe: Int32
  private(set) var output = ""

  struct CannotStart: Error {
    var code: Int32
  }

  init(_ arguments: [String]) throws {
    var path = [CChar](repeating: 0, count: 4_096)
    let length = readlink("/proc/self/exe", &path, path.count - 1)
    var folder = String(decoding: path[..<max(0, length)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    folder = folder.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw CannotStart(code: errno) }
    pipe = ends[0]
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
    let program = folder + "/storage-emulator"
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    let code = posix_spawn(&child, program, &actions, nil, &words, environ)
    close(ends[1])
    guard code == 0 else { throw CannotStart(code: code) }
  }

  deinit { close(pipe) }

  func send(_ signal: Int32) { kill(child, signal) }

  func waitForExit() -> Int32 {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    while true {
      let got = read(pipe, &bytes, bytes.count)
      guard got > 0 else { break }
      output += String(decoding: bytes[..<got], as: UTF8.self)
    }
    var status: Int32 = 0
    waitpid(child, &status, 0)
    return status & 0x7F == 0 ? status >> 8 & 0xFF : -1
  }
}
