// What `storage-emulator` does: reads its files, starts a server, says so, and waits for a signal.

import Glibc
import TransferModel

/// The command behind the executable.
package enum EmulatorCommand {
  package static let version = "0.1.0"

  /// Runs until SIGINT or SIGTERM. Call it on the main thread before any other thread is started: it blocks the two
  /// signals, and threads inherit that. `arguments` without the program's name; returns the exit status.
  package static func run(_ arguments: [String]) -> Int32 {
    do {
      switch try EmulatorOptions.parse(arguments) {
      case .help:
        print(EmulatorOptions.help)
        return 0
      case .version:
        print("storage-emulator \(version)")
        return 0
      case .serve(let options):
        return try serve(options)
      }
    } catch let error as EmulatorOptions.UsageError {
      complain("\(error.message)\nTry 'storage-emulator --help'.")
      return 2
    } catch {
      complain("\(error)")
      return 1
    }
  }

  private static func serve(_ options: EmulatorOptions) throws -> Int32 {
    let signals = blockSignals()
    let server = try StorageEmulator(try configuration(options))
    if let file = options.readyFile { try writeAtomically("\(server.port)\n", to: file) }
    if !options.isQuiet {
      print("storage-emulator is listening on \(server.url)")
      fflush(nil)
    }
    var waited = signals
    var signal: Int32 = 0
    while sigwait(&waited, &signal) != 0 {}
    server.stop()
    return 0
  }

  private static func configuration(_ options: EmulatorOptions) throws -> EmulatorConfiguration {
    for folder in [options.folder].compactMap({ $0 }) + options.buckets.values {
      guard FolderBucket(path: folder, mayBeLink: true).exists else {
        throw EmulatorFailure("'\(folder)' is no folder that can be read", errno: errno)
      }
    }
    var configuration = EmulatorConfiguration(
      host: options.host, port: options.port, threads: options.threads, root: options.folder, buckets: options.buckets,
      quirks: options.quirks)
    if let file = options.faultFile { configuration.faults = try read(file) }
    if let file = options.metadataFile { configuration.metadata = try read(file) }
    if let file = options.logFile {
      let log = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
      guard log >= 0 else { throw EmulatorFailure("cannot write '\(file)'", errno: errno) }
      configuration.onRequest = { request in
        let line = Array((request.line + "\n").utf8)
        // One call for a whole line keeps lines of several threads apart.
        _ = write(log, line, line.count)
      }
    }
    return configuration
  }

  private static func blockSignals() -> sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    signal(SIGPIPE, SIG_IGN)
    return signals
  }

  private static func read(_ path: String) throws(EmulatorFailure) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw EmulatorFailure("cannot read '\(path)'", errno: errno) }
    let file = OpenFile(adopting: descriptor)
    var facts = stat()
    guard fstat(descriptor, &facts) == 0,
      let bytes = ObjectContent.file(file, size: Int64(facts.st_size)).bytes(at: 0, count: Int(facts.st_size))
    else { throw EmulatorFailure("cannot read '\(path)'", errno: errno) }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw EmulatorFailure("'\(path)' is not UTF-8") }
    return text
  }

  /// A reader of the file sees nothing or all of it.
  private static func writeAtomically(_ text: String, to path: String) throws(EmulatorFailure) {
    let temporary = path + ".new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw EmulatorFailure("cannot write '\(path)'", errno: errno) }
    let bytes = Array(text.utf8)
    let isWritten = write(descriptor, bytes, bytes.count) == bytes.count
    close(descriptor)
    guard isWritten, rename(temporary, path) == 0 else { throw EmulatorFailure("cannot write '\(path)'", errno: errno) }
  }

  private static func complain(_ message: String) {
    let bytes = Array("storage-emulator: \(message)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }
}
