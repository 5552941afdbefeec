// `mirror stat`: what is known about one object, or what a server says of a plain URL.

import MirrorEngine

struct StatCommand {
  private let options: StatOptions

  init(_ options: StatOptions) { self.options = options }

  func run() async throws -> Int32 {
    let writesJSON = options.writesJSON
    let askLink: @Sendable (LinkQuestion) async throws -> Void = { link in
      let text = VersionText(try await link.version(), of: link.url)
      try Output.results.write(writesJSON ? text.json : text.lines)
    }
    return try await QuestionCommand.run(options, askLink: askLink) { question in
      let text = MetadataText(try await question.metadata(), of: question.address)
      try Output.results.write(writesJSON ? text.json : text.lines)
    }
  }
}
