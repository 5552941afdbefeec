// The command line of `storage-emulator`: what can be said, and how it is read. Acting on it is `EmulatorCommand`.

/// What a command line asks for.
struct EmulatorOptions: Equatable {
  var folder: String?
  var host = "127.0.0.1"
  var port: UInt16 = 9199
  var threads = 2
  var buckets: [String: String] = [:]
  var faultFile: String?
  var metadataFile: String?
  var logFile: String?
  var readyFile: String?
  var quirks = Quirks.production
  var isQuiet = false

  enum Request: Equatable {
    case serve(EmulatorOptions)
    case help
    case version
  }

  /// Why a command line is not understood.
  struct UsageError: Error, Equatable {
    var message: String
  }

  /// `arguments` without the program's name.
  static func parse(_ arguments: [String]) throws(UsageError) -> Request {
    var options = EmulatorOptions()
    var rest = arguments[...]
    var onlyOperands = false
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("-"), argument != "-", !onlyOperands else {
        guard options.folder == nil else { throw UsageError(message: "there is more than one folder: '\(argument)'") }
        options.folder = argument
        continue
      }
      if argument == "--" {
        onlyOperands = true
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      switch parts[0] {
      case "-h", "--help": return .help
      case "--version": return .version
      case "-q", "--quiet":
        guard parts.count == 1 else { throw UsageError(message: "\(parts[0]) takes no value") }
        options.isQuiet = true
      default:
        guard valued.contains(parts[0]) else { throw UsageError(message: "there is no option '\(parts[0])'") }
        guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
          throw UsageError(message: "\(parts[0]) needs a value")
        }
        try options.set(parts[0], value)
      }
    }
    guard options.folder != nil || !options.buckets.isEmpty || options.faultFile != nil else {
      throw UsageError(message: "nothing to serve: name a folder, a --bucket or a --faults file")
    }
    return .serve(options)
  }

  private static let valued: Set<String> = [
    "--host", "--port", "--threads", "--bucket", "--faults", "--metadata", "--log", "--ready-file", "--quirks",
  ]

  private mutating func set(_ option: String, _ value: String) throws(UsageError) {
    switch option {
    case "--host": host = value
    case "--port":
      guard let number = UInt16(value) else { throw UsageError(message: "--port is 0 to 65535, not '\(value)'") }
      port = number
    case "--threads":
      guard let number = Int(value), (1...64).contains(number) else {
        throw UsageError(message: "--threads is 1 to 64, not '\(value)'")
      }
      threads = number
    case "--bucket":
      let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
        throw UsageError(message: "--bucket is NAME=FOLDER, not '\(value)'")
      }
      buckets[parts[0]] = parts[1]
    case "--faults": faultFile = value
    case "--metadata": metadataFile = value
    case "--log": logFile = value
    case "--ready-file": readyFile = value
    case "--quirks":
      guard let known = Quirks(rawValue: value) else {
        throw UsageError(message: "--quirks is production or emulator, not '\(value)'")
      }
      quirks = known
    default: throw UsageError(message: "there is no option '\(option)'")
    }
  }

  static let help = """
    storage-emulator ./buckets
      serves every folder in ./buckets as a bucket, on http://127.0.0.1:9199
    storage-emulator --bucket my-app=./assets --faults faults.txt --port 0 --ready-file port
      serves ./assets as the bucket my-app, with faults, on a free port that is written to the file 'port'

    A small server with Firebase's /v0 API, Google's JSON API and plain /BUCKET/OBJECT paths.
    It checks no credentials: for tests and for trying things out. Files are never changed.

    usage: storage-emulator [FOLDER] [options]
      --host HOST             address to listen on (127.0.0.1)
      --port N                0 takes a free one (9199)
      --threads N             threads that serve connections (2)
      --bucket NAME=FOLDER    one bucket; may be repeated
      --faults FILE           a fault script, see below
      --metadata FILE         JSON: {"BUCKET": {"OBJECT": {"contentType": ..., "contentEncoding": ...}}}
      --quirks production|emulator
                              answer as the service does, or as Firebase's own emulator does (production)
      --log FILE              append one JSON line for each request
      --ready-file FILE       write the port to this file when ready
      -q, --quiet             do not print the URL
      -h, --help   --version

    SIGINT and SIGTERM stop it; the exit status is then 0. 2 means a usage error, 1 that it could not start.

    Controls: GET /_emulator/health   GET /_emulator/log   POST /_emulator/reset   PUT /_emulator/faults

    Fault scripts

    \(FaultScript.grammar.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n"))

    An action goes on the 'on' line after '=>', or indented below it; ';' separates several. '#' begins a comment. Words
    with blanks go in double quotes. All rules that match add up; of two actions of one kind the later one counts.

      on photos/** request 1-2 => status 503 retry-after 1
      on GET media photos/big.bin
        etag none
        cut 1000
    """
}
