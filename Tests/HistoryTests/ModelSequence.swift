// One sequence: things happen, mirror runs, and after each run everything is held against the model.

import Foundation
import Glibc
import MirrorPlan
import TestSupport
import TransferModel

/// One seed's worth of history.
final class ModelSequence {
  let world: ModelWorld
  var dice: ModelDice
  private var books = ModelBooks()
  private var manifest = ModelManifest()
  private let outside: [TreeEntry]
  /// What has happened, for whoever reads of a failure.
  var story: [String] = []
  private var partsMayStay = false
  private var keptState: [String: Data] = [:]

  init(seed: UInt64) throws {
    world = try ModelWorld()
    dice = ModelDice(seed: seed)
    outside = try world.folder.tree(below: "outside")
  }

  struct Broken: Error, CustomStringConvertible {
    var problems: [String]
    var story: [String]
    var description: String { (problems.map { "✘ " + $0 } + story.map { "  " + $0 }).joined(separator: "\n") }
  }

  /// - Throws: `Broken` at the first run that breaks a promise.
  func play() async throws {
    for name in ModelDice.objects where dice.chance(40) { put(name) }
    changeManifest()
    for _ in 0..<dice.number(2...6) {
      for _ in 0..<dice.number(0...5) { try happen() }
      try await round()
    }
    try await settleDown()
  }

  // MARK: Runs

  private func round() async throws {
    switch dice.number(1...20) {
    case 1...10:
      let ran = try await run(.clean)
      try await runAgain(after: ran)
    case 11...15:
      let (faults, script) = (dice.faults(manifest), dice.listScript())
      for fault in faults {
        story.append("fault \(fault.place) \(fault.kind) after \(fault.passing) times \(fault.times)")
      }
      if !script.isEmpty { story.append(script) }
      _ = try await run(.rough, faults: faults, script: script)
    case 16: _ = try await run(.rough, stopsAt: dice.number(1...60))
    case 17: try await runWhileReplacing()
    default: try await runAndDie()
    }
  }

  private func run(
    _ weather: ModelJudge.Weather, faults: [ModelServer.Fault] = [], script: String = "", stopsAt: Int? = nil,
    event: ModelServer.Event? = nil
  ) async throws -> ModelWorld.Ran {
    let before = try world.look()
    let first = WantedTree(manifest, of: world.bucket)
    let ran = try await world.apply(manifest, faults: faults, script: script, stopsAt: stopsAt, event: event)
    let listsLie = !script.isEmpty || event != nil || faults.contains { $0.place == .list }
    story.append("run, \(weather)\(stopsAt.map { ", stopped at step \($0)" } ?? ""): \(ran.status)")
    story += ran.outcomes.map { row in
      "  \(row.destination): \(row.outcome.rawValue), \(row.reason)\(row.failure.map { ", " + $0.message } ?? "")"
    }
    story += (ran.complaints + [ran.refusal?.failure].compactMap { $0 }).map { "  " + $0.description }
    var problems = try await judge(ran, weather, before, first: first, listsLie: listsLie)
    problems += try ModelAccounts.problems(
      of: ran, report: ran.result == nil ? [] : try world.folder.read("report.json"))
    if !problems.isEmpty { throw Broken(problems: problems, story: story) }
    return ran
  }

  /// The books are brought up to date after the judge has seen the old ones.
  private func judge(
    _ ran: ModelWorld.Ran, _ weather: ModelJudge.Weather, _ before: [String: TreeEntry],
    first: WantedTree? = nil, listsLie: Bool = false
  ) async throws -> [String] {
    let after = try world.look()
    let wanted = WantedTree(manifest, of: world.bucket)
    var problems = ModelJudge(
      manifest, wanted, first: first, before: before, after: after, ran, weather, books, trash: try world.trash(),
      listsLie: listsLie
    ).problems
    if try world.folder.tree(below: "outside") != outside {
      problems.append("something outside of the root was touched")
    }
    for (path, _) in before where after[path] == nil { books.gone(path) }
    for (path, want) in wanted.files.merging(first?.files ?? [:], uniquingKeysWith: { last, _ in last }) {
      let contents = [want.bytes, first?.files[path]?.bytes].compactMap { $0 }
      guard let entry = after[path], contents.contains(where: { entry.kind == .file($0) }) else { continue }
      if weather == .killed {
        if before[path] != entry { books.mayHaveWritten(entry) }
        continue
      }
      guard let row = ran.outcomes.first(where: { $0.destination == path }), row.failure == nil else { continue }
      switch row.outcome {
      case .downloaded, .updated: books.wrote(entry, for: want.owner)
      case .unchanged, .metadataSet, .adopted: books.confirmed(entry, for: want.owner)
      default: break
      }
    }
    if weather == .killed || ran.result == nil { books.doubt() }
    return problems
  }

  /// Nothing has changed: nothing moves.
  private func runAgain(after first: ModelWorld.Ran) async throws {
    let before = try world.look()
    let again = try await run(.clean)
    let after = try world.look()
    var problems: [String] = []
    let isSettled = [first, again].allSatisfy { ran in
      ran.result != nil && ran.complaints.isEmpty && ran.outcomes.allSatisfy { $0.failure == nil }
    }
    if isSettled, world.server.mediaBytes > 0 {
      problems.append("\(world.server.mediaBytes) bytes of objects were sent though nothing had changed")
    }
    if isSettled,
      before.keys.sorted() != after.keys.sorted()
        || before.contains(where: { $0.value.kind != .folder && after[$0.key] != $0.value })
    {
      problems.append("something was changed though nothing was to be done")
    }
    if !problems.isEmpty { throw Broken(problems: problems, story: story) }
  }

  /// Objects are replaced and removed while the run goes on.
  private func runWhileReplacing() async throws {
    let changes = (0..<dice.number(1...4)).map { _ in
      (dice.pick(ModelDice.objects), dice.chance(70) ? dice.bytes() : nil)
    }
    let step = dice.number(1...40)
    for (name, bytes) in changes {
      story.append(
        "at step \(step) of the run: \(bytes.map { "put \(name) with \($0.count) bytes" } ?? "remove \(name)")")
    }
    let event = ModelServer.Event(step: step) { [bucket = world.bucketChanges] in
      for (name, bytes) in changes where !name.hasSuffix("/") { bucket.change(name, bytes) }
    }
    _ = try await run(.rough, event: event)
  }

  private func runAndDie() async throws {
    let before = try world.look()
    let step = dice.number(1...60)
    let died = try await world.applyAndDie(manifest, at: step)
    story.append("run, killed at step \(step)\(died ? "" : ", which it did not reach")")
    let ran = ModelWorld.Ran(outcomes: [], complaints: [], wasStopped: false)
    let problems = try await judge(ran, .killed, before)
    if !problems.isEmpty { throw Broken(problems: problems, story: story) }
  }

  /// In lasting good weather everything comes right, and nothing is left lying about.
  private func settleDown() async throws {
    for _ in 0..<2 { _ = try await run(.clean) }
    try await runAgain(after: try await run(.clean))
    // A folder that the user has moved away has gone out of sight with what was in it.
    let parts = try world.parts().filter { !$0.hasPrefix("out/moved") }
    if !parts.isEmpty, !partsMayStay { throw Broken(problems: ["\(parts) were left behind"], story: story) }
  }
}

// MARK: - What happens between runs

extension ModelSequence {
  private func happen() throws {
    switch dice.number(1...20) {
    case 1...8: changeBucket()
    case 9...15: try changeFile()
    case 16...17: try changeState()
    case 18...19: changeManifest()
    default: try placeUserFile()
    }
  }

  private func put(_ name: String) {
    let bytes = name.hasSuffix("/") && dice.chance(90) ? [] : dice.bytes()
    story.append("put \(name) with \(bytes.count) bytes")
    world.put(name, bytes)
  }

  private func changeBucket() {
    let name = dice.pick(ModelDice.objects)
    switch dice.number(1...10) {
    case 1...4: put(name)
    case 5...7:
      story.append("remove \(name)")
      world.remove(name)
    case 8:
      guard let bytes = world.bucket[name] else { return }
      story.append("put \(name) again with the same bytes")
      world.put(name, bytes)
    case 9:
      guard world.bucket[name] != nil else { return }
      story.append("change the metadata of \(name)")
      world.server.touch(name, type: "text/x-\(dice.number(1...9))")
    default:
      story.append("empty the bucket")
      for name in world.bucket.keys { world.remove(name) }
    }
  }

  private func changeManifest() {
    manifest = dice.manifest(world.bucket)
    story.append("manifest " + manifest.words)
  }

  private func placeUserFile() throws {
    let path = dice.pick(ModelDice.userPaths)
    let folders = WantedTree.folders(above: path)
    guard !world.folder.exists("out/" + path) else { return }
    for folder in folders {
      guard let entry = try? world.folder.entry("out/" + folder) else { break }
      guard entry.kind == .folder else { return }
    }
    story.append("the user writes \(path)")
    try world.folder.write(dice.bytes().prefix(100), to: "out/" + path, mode: dice.pick([0o600, 0o644, 0o444]))
  }

  private func changeState() throws {
    let state = "out/.mirror/state.db"
    guard world.folder.exists(state) else { return }
    let folder = world.folder.path("out/.mirror")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("state.db") }
    let happening = dice.number(1...6)
    // Parts that the state no longer knows are swept only where the manifest still has something.
    if happening != 4, happening != 5 { partsMayStay = true }
    switch happening {
    case 1:
      story.append("the state is deleted")
      for name in names { try ModelWorld.remove("\(folder)/\(name)") }
      books.lost(forGood: keptState.isEmpty)
    case 2:
      story.append("the state is cut short")
      let bytes = try world.folder.read(state)
      try world.folder.write(bytes.prefix(dice.number(0...bytes.count)), to: state)
      books.doubt()
    case 3:
      story.append("the state is damaged")
      var bytes = try world.folder.read(state)
      for _ in 0..<40 where !bytes.isEmpty { bytes[dice.number(0...bytes.count - 1)] ^= 0x55 }
      try world.folder.write(bytes, to: state)
      books.doubt()
    case 4, 5:
      story.append("a copy of the state is made")
      keptState = [:]
      for name in names { keptState[name] = FileManager.default.contents(atPath: "\(folder)/\(name)") }
    default:
      guard !keptState.isEmpty else { return }
      story.append("the copy of the state is put back")
      for name in names { try ModelWorld.remove("\(folder)/\(name)") }
      for (name, bytes) in keptState { try world.folder.write(bytes, to: "out/.mirror/\(name)") }
      books.doubt()
    }
  }
}
