// `mirror report`: what one or several reports say together.

import LocalFiles
import MirrorEngine
import MirrorPlan
import TransferModel

struct ReportCommand {
  private let options: ReportOptions
  private let talk: Talk
  private static let readLimit = ByteCount(4 << 30)

  init(_ options: ReportOptions) {
    self.options = options
    talk = Talk(process: options.talk)
  }

  func run() throws -> Int32 {
    var digest = ReportDigest()
    for source in options.files {
      let (name, bytes): (String, [UInt8])
      do throws(TransferFailure) {
        (name, bytes) = try source.read(limit: Self.readLimit)
      } catch {
        return talk.refuse(RunRefusal(status: .usage, failure: error))
      }
      do throws(JSONError) {
        try digest.add(bytes, named: name)
      } catch {
        return talk.refuse(
          RunRefusal(
            status: .usage,
            failure: TransferFailure(
              .unexpectedContent, .permanent, "\(name) is no report: \(error)",
              hint: "Write one with `mirror apply --report FILE`.")))
      }
    }
    if options.writesJSON {
      try Output.results.write(digest.json[...])
    } else {
      try Output.results.write(digest.text(verbose: options.talk.verbosity == .verbose))
    }
    if let path = options.html { return try write(digest, to: path) }
    return ExitStatus.done.rawValue
  }

  private func write(_ digest: ReportDigest, to path: String) throws -> Int32 {
    do throws(TransferFailure) {
      let document = try AtomicDocument(path)
      try document.append(digest.html)
      try document.publish()
      return ExitStatus.done.rawValue
    } catch {
      return talk.refuse(RunRefusal(status: .localResource, failure: error))
    }
  }
}
