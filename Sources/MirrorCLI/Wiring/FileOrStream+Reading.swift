// What stands in a file, or comes from standard input.

import LocalFiles
import MirrorPlan
import TransferModel

extension FileOrStream {
  /// The whole content, and how it is called in messages. Throws what reading a file throws, also where it has more than
  /// `limit`.
  func read(limit: ByteCount) throws(TransferFailure) -> (name: String, bytes: [UInt8]) {
    switch self {
    case .standardStream: ("-", try WholeFile.readStandardInput(limit: limit))
    case .file(let path): (path, try WholeFile.read(path, limit: limit))
    }
  }
}
