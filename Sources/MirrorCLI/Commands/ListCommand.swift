// `mirror ls`: what is in a folder of a bucket, as it comes.

import MirrorEngine
import MirrorPlan
import StorageCore
import TransferModel

struct ListCommand {
  private let options: ListOptions

  init(_ options: ListOptions) { self.options = options }

  func run() async throws -> Int32 {
    let talk = Talk(process: options.talk)
    return try await QuestionCommand.run(options) { [options] question in
      try await Listing(question, options, talk).print()
    }
  }
}

/// One list on its way to standard output.
private struct Listing {
  private let question: StorageQuestion
  private let options: ListOptions
  private let talk: Talk
  private let line: ListLine
  private let prefix: String

  init(_ question: StorageQuestion, _ options: ListOptions, _ talk: Talk) {
    self.question = question
    self.options = options
    self.talk = talk
    line = ListLine(bucket: question.address.bucket, isLong: options.isLong, writesJSON: options.writesJSON)
    let name = question.address.object?.text ?? ""
    prefix = name.isEmpty || name.utf8.last == UInt8(ascii: "/") ? name : name + "/"
  }

  func print() async throws {
    let count = options.isRecursive ? try await printTree() : try await printFolder()
    guard count == 0, !prefix.isEmpty else { return }
    // No folder of that name: it may be an object.
    let metadata = try await question.metadata()
    let item = ObjectListPage.Item(
      name: question.address.object ?? ObjectName(""), version: metadata.version)
    try Output.results.write(line.object(item))
  }

  /// Entries printed, a page at a time, folders before objects; a folder that comes on several pages once.
  private func printFolder() async throws -> Int {
    var cursor = ListCursor(expectsOrder: question.service.api == .google)
    var folders: Set<ObjectName> = []
    var count = 0
    while !cursor.isComplete {
      let page = try await question.page(
        question.service.list(
          bucket: question.address.bucket, prefix: prefix, depth: .folder, pageToken: cursor.token,
          maxResults: StorageAPI.largestPage))
      do throws(ListCursor.Violation) { try cursor.accept(page) } catch { throw error.failure }
      report(page.problems)
      let new = page.prefixes.filter { folders.insert($0).inserted }
      try Output.results.write(new.map { line.folder($0) }.joined())
      try await printItems(page.items)
      count += new.count + page.items.count
    }
    return count
  }

  private func printTree() async throws -> Int {
    var walk = ListWalk(question.service, bucket: question.address.bucket, prefix: prefix)
    var count = 0
    while true {
      switch walk.next() {
      case .fetch(let request):
        let page = try await question.page(request)
        do throws(ListCursor.Violation) { try walk.take(page) } catch { throw error.failure }
      case .deliver(let items):
        try await printItems(items)
        count += items.count
      case .finished:
        report(walk.problems)
        return count
      }
    }
  }

  private func printItems(_ items: [ObjectListPage.Item]) async throws {
    // Firebase's lists hold names only.
    let lacksFacts = options.isLong && question.service.api == .firebase
    for chunk in stride(from: 0, to: items.count, by: QuestionCommand.concurrency).map({ start in
      items[start..<min(start + QuestionCommand.concurrency, items.count)]
    }) {
      let complete = lacksFacts ? try await withFacts(chunk) : Array(chunk)
      try Output.results.write(complete.map { line.object($0) }.joined())
    }
  }

  /// The same objects with what their metadata says, in the same order; one that has gone meanwhile keeps its bare name.
  private func withFacts(_ items: ArraySlice<ObjectListPage.Item>) async throws -> [ObjectListPage.Item] {
    try await withThrowingTaskGroup(of: (Int, ObjectVersion).self) { group in
      for index in items.indices {
        let question = question.about(items[index].name)
        group.addTask {
          do {
            return (index, try await question.metadata().version)
          } catch let failure as TransferFailure where failure.reason == .notFound {
            return (index, ObjectVersion())
          }
        }
      }
      var complete = items
      for try await (index, version) in group { complete[index].version = version }
      return Array(complete)
    }
  }

  private func report(_ problems: [ObjectListPage.Problem]) {
    for problem in problems {
      let name = problem.name.map { ": " + TerminalText.escape($0.text) } ?? ""
      talk.say(LogEvent(level: .warning, event: "entry_left_out", message: problem.message + name))
    }
  }
}
