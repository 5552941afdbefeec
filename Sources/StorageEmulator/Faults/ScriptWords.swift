// The words of one line of a fault script, and how they are taken one after the other.

import TransferModel

/// A cursor over words.
struct ScriptWords {
  struct Word {
    var text: String
    /// Quoted words are never keywords.
    var isQuoted = false
  }

  let line: Int
  private(set) var words: ArraySlice<Word>

  init(line: Int, _ words: ArraySlice<Word>) {
    self.line = line
    self.words = words
  }

  /// Splits at blanks, takes quotes apart, drops a comment; `;` and `=>` are words of their own.
  init(line: Int, splitting text: Substring) throws(FaultScript.Violation) {
    var words: [Word] = []
    var rest = text
    while let character = rest.first {
      if character == " " || character == "\t" || character == "\r" {
        rest.removeFirst()
      } else if character == "#" {
        break
      } else if character == "\"" {
        rest.removeFirst()
        words.append(Word(text: try Self.quoted(&rest, line), isQuoted: true))
      } else if character == ";" {
        rest.removeFirst()
        words.append(Word(text: ";"))
      } else {
        let word = rest.prefix { $0 != " " && $0 != "\t" && $0 != "\r" && $0 != ";" }
        rest = rest[word.endIndex...]
        words.append(Word(text: String(word)))
      }
    }
    self.init(line: line, words[...])
  }

  private static func quoted(_ rest: inout Substring, _ line: Int) throws(FaultScript.Violation) -> String {
    var text = ""
    while let character = rest.popFirst() {
      if character == "\"" { return text }
      guard character == "\\" else {
        text.append(character)
        continue
      }
      switch rest.popFirst() {
      case "n": text.append("\n")
      case "t": text.append("\t")
      case "r": text.append("\r")
      case let other?: text.append(other)
      case nil: break
      }
    }
    throw FaultScript.Violation(line: line, problem: "a quote is not closed")
  }

  var isEmpty: Bool { words.isEmpty }

  func violation(_ problem: String) -> FaultScript.Violation { FaultScript.Violation(line: line, problem: problem) }

  /// The words up to each `;`, empty groups left out.
  var groups: [ScriptWords] {
    words.split { $0.text == ";" && !$0.isQuoted }.map { ScriptWords(line: line, $0) }
  }

  /// The words before and after `=>`.
  func dividedAtArrow() -> (ScriptWords, ScriptWords?) {
    guard let arrow = words.firstIndex(where: { $0.text == "=>" && !$0.isQuoted }) else { return (self, nil) }
    return (ScriptWords(line: line, words[..<arrow]), ScriptWords(line: line, words[(arrow + 1)...]))
  }

  /// Takes the next word if it is this one.
  mutating func take(_ keyword: String) -> Bool {
    guard let word = words.first, !word.isQuoted, word.text == keyword else { return false }
    words.removeFirst()
    return true
  }

  mutating func next(_ what: String) throws(FaultScript.Violation) -> String {
    guard let word = words.popFirst() else { throw violation("\(what) is missing") }
    return word.text
  }

  /// All words that are left, with one blank between them.
  mutating func rest() -> String {
    defer { words = [] }
    return words.map(\.text).joined(separator: " ")
  }

  mutating func number(_ what: String) throws(FaultScript.Violation) -> Int64 {
    let text = try next(what)
    guard let number = Int64(text) else { throw violation("\(what) is a number, not '\(text)'") }
    return number
  }

  mutating func count(_ what: String) throws(FaultScript.Violation) -> Int { Int(try number(what)) }

  /// `4096`, `64KiB`, `5GiB`.
  mutating func size(_ what: String) throws(FaultScript.Violation) -> Int64 {
    let text = try next(what)
    guard let size = ByteCount(parsing: text) else { throw violation("\(what) is a size such as 64KiB, not '\(text)'") }
    return size.bytes
  }

  /// `200ms`, `3s`, `+2h`, `-1d`.
  mutating func duration(_ what: String) throws(FaultScript.Violation) -> Duration {
    let text = try next(what)
    var digits = Substring(text)
    let units: [(String, Duration)] = [
      ("ms", .milliseconds(1)), ("s", .seconds(1)), ("m", .seconds(60)), ("h", .seconds(3_600)),
      ("d", .seconds(86_400)),
    ]
    for (suffix, unit) in units where digits.hasSuffix(suffix) {
      digits.removeLast(suffix.utf8.count)
      guard let number = Int(digits) else { break }
      return unit * number
    }
    throw violation("\(what) is a duration such as 200ms, 3s or +2h, not '\(text)'")
  }

  func end() throws(FaultScript.Violation) {
    if let word = words.first { throw violation("'\(word.text)' is not understood here") }
  }
}
