// `mirror url`: the long-lived link of one object.

import StorageCore
import TransferModel

struct URLCommand {
  private let options: URLOptions

  init(_ options: URLOptions) { self.options = options }

  func run() async throws -> Int32 {
    try await QuestionCommand.run(options) { question in
      guard question.service.api == .firebase else {
        throw TransferFailure(
          .invalidRequest, .permanent, "Google's API has no links that need no permission",
          hint: "Use --api firebase, or sign a URL with gcloud.")
      }
      let metadata = try await question.metadata()
      guard let link = metadata.downloadURL(of: question.address, at: question.service) else {
        throw TransferFailure(
          .notFound, .permanent, "the object has no download token, so it has no link",
          hint: "Make a token in the console of Firebase.")
      }
      try Output.results.write(link.wireText + "\n")
    }
  }
}
