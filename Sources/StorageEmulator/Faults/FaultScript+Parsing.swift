// Reads fault scripts: lines, statements, and the conditions of a rule. The actions are `FaultAction+Parsing.swift`.

import TransferModel

extension FaultScript {
  /// Throws at the first line that is not understood.
  package init(parsing text: String) throws(Violation) {
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let words = try ScriptWords(line: index + 1, splitting: line)
      guard !words.isEmpty else { continue }
      if line.first == " " || line.first == "\t" {
        guard !rules.isEmpty else { throw words.violation("an action without an 'on' line above it") }
        rules[rules.count - 1].actions += try Self.actions(words)
      } else {
        try addStatement(words)
      }
    }
  }

  private static func actions(_ words: ScriptWords) throws(Violation) -> [FaultAction] {
    var actions: [FaultAction] = []
    for group in words.groups {
      var group = group
      actions.append(try FaultAction(parsing: &group))
      try group.end()
    }
    return actions
  }

  private mutating func addStatement(_ statement: ScriptWords) throws(Violation) {
    var words = statement
    if words.take("on") {
      let (conditions, actions) = words.dividedAtArrow()
      var rule = try Self.rule(conditions)
      if let actions { rule.actions = try Self.actions(actions) }
      rules.append(rule)
      return
    }
    if words.take("generate") {
      objects.append(try Self.generate(&words))
    } else if words.take("put") {
      objects.append(try Self.put(&words))
    } else if words.take("bucket") {
      objects.append(.bucket(try words.next("the bucket's name")))
    } else {
      throw words.violation("a line begins with on, generate, put or bucket, or is indented")
    }
    try words.end()
  }

  private static func rule(_ conditions: ScriptWords) throws(Violation) -> FaultRule {
    var words = conditions
    var rule = FaultRule(actions: [])
    while let word = words.words.first {
      if words.take("target") {
        rule.target = try words.next("the beginning of the target")
      } else if words.take("with") {
        rule.field = try words.next("the name of a field")
      } else if words.take("host") {
        rule.host = try words.next("the name of a host")
      } else if words.take("connection") {
        rule.connections = try ordinals(&words)
      } else if words.take("request") || words.take("requests") {
        rule.requests = try ordinals(&words)
        rule.countsTogether = words.take("of-all")
      } else if !word.isQuoted, ["GET", "HEAD", "PATCH", "PUT", "POST", "DELETE"].contains(word.text) {
        rule.method = try words.next("the method")
      } else if !word.isQuoted, let kind = RequestKind(rawValue: word.text) {
        rule.kind = kind
        _ = words.take(word.text)
      } else if !word.isQuoted, let api = StorageAPI(rawValue: word.text) {
        rule.api = api
        _ = words.take(word.text)
      } else if rule.path == nil {
        rule.path = try words.next("the path")
        guard MatchGlob(word.text) != nil else { throw words.violation("'\(word.text)' has an open bracket or brace") }
      } else {
        throw words.violation("'\(word.text)' is no condition, and there is a path already")
      }
    }
    return rule
  }

  private static func ordinals(_ words: inout ScriptWords) throws(Violation) -> Ordinals {
    if words.take("every") { return .every(try words.count("the step")) }
    if words.take("after") { return .after(try words.count("the last number")) }
    let text = try words.next("a number")
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    if ends.count == 1, let number = ends[0] { return .number(number) }
    if ends.count == 2, let first = ends[0], let last = ends[1], first <= last { return .range(first...last) }
    throw words.violation("'\(text)' is no number such as 3, and no range such as 2-4")
  }

  private static func generate(_ words: inout ScriptWords) throws(Violation) -> ObjectStatement {
    let bucket = try words.next("the bucket's name")
    var names = GeneratedNames(count: 0)
    while !words.isEmpty {
      if words.take("count") {
        names.count = try words.count("the count")
      } else if words.take("prefix") {
        names.prefix = try words.next("the prefix")
      } else if words.take("suffix") {
        names.suffix = try words.next("the suffix")
      } else if words.take("per-folder") {
        names.perFolder = try words.count("the number of names in a folder")
      } else if words.take("size") {
        names.objectSize = try words.size("the size")
      } else {
        break
      }
    }
    guard names.count > 0, names.perFolder >= 0 else { throw words.violation("generate needs a count above 0") }
    return .generate(bucket, names)
  }

  private static func put(_ words: inout ScriptWords) throws(Violation) -> ObjectStatement {
    let bucket = try words.next("the bucket's name")
    let name = try words.next("the object's name")
    var metadata = ObjectMetadata()
    var text = ""
    var size: Int64?
    var seed: UInt64 = 0
    var generation: Int64?
    while !words.isEmpty {
      if words.take("text") {
        text = try words.next("the text")
      } else if words.take("size") {
        size = try words.size("the size")
      } else if words.take("seed") {
        seed = UInt64(bitPattern: try words.number("the seed"))
      } else if words.take("generation") {
        generation = try words.number("the generation")
      } else if words.take("type") {
        metadata.contentType = try words.next("the content type")
      } else if words.take("encoding") {
        metadata.contentEncoding = try words.next("the content encoding")
      } else if words.take("cache-control") {
        metadata.cacheControl = try words.next("the cache control")
      } else {
        break
      }
    }
    guard let size else { return .text(bucket, name, text, metadata, generation: generation) }
    return .pattern(bucket, name, size: size, seed: seed, metadata, generation: generation)
  }
}
