// `mirror stat`: what is known about one object.

struct StatCommand {
  private let options: StatOptions

  init(_ options: StatOptions) { self.options = options }

  func run() async throws -> Int32 {
    let writesJSON = options.writesJSON
    return try await QuestionCommand.run(options) { question in
      let text = MetadataText(try await question.metadata(), of: question.address)
      try Output.results.write(writesJSON ? text.json : text.lines)
    }
  }
}
