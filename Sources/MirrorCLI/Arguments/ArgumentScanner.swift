// Splits the words of a command line into options with their values and positional arguments.
// Nothing is read into values here; that is `ArgumentParser`.

/// One thing that the user wrote.
enum ScannedArgument: Hashable, Sendable {
  /// The option's position in the table, and its value; nil for a flag without one.
  case option(Int, String?)
  case positional(String)
}

/// The grammar of options, as POSIX and GNU have it (POSIX.1-2017 Utility Syntax Guidelines 3 to 10, 13):
///
/// | written | read as |
/// | --- | --- |
/// | `--name value`, `--name=value` | a long option; its name is never abbreviated |
/// | `-n value`, `-nvalue`, `-n=value` | a short option |
/// | `-abc` | `-a -b -c`, as long as all but the last are flags |
/// | `-` | an ordinary value |
/// | `--` | everything after it is positional |
/// | anything else | positional, also between options |
///
/// A value that stands alone and begins with a dash is refused, because a value was most likely forgotten:
/// `--name=-value` says that it is meant.
struct ArgumentScanner {
  let options: [OptionDescription]
  /// The nearest of some words, for "did you mean".
  let nearest: (String, [String]) -> String?

  func scan(_ words: ArraySlice<String>) throws(UsageProblem) -> [ScannedArgument] {
    var found: [ScannedArgument] = []
    var rest = words
    while let word = rest.popFirst() {
      if word == "--" {
        found += rest.map(ScannedArgument.positional)
        break
      } else if word.utf8.starts(with: "--".utf8) {
        found.append(try long(word, rest: &rest))
      } else if word.utf8.first == UInt8(ascii: "-"), word.utf8.count > 1 {
        found += try bundle(word, rest: &rest)
      } else {
        found.append(.positional(word))
      }
    }
    return found
  }

  private func long(_ word: String, rest: inout ArraySlice<String>) throws(UsageProblem) -> ScannedArgument {
    let equals = word.utf8.firstIndex(of: UInt8(ascii: "="))
    let spelled = String(word[..<(equals ?? word.endIndex)])
    guard let index = options.firstIndex(where: { $0.long == spelled }) else { throw unknown(spelled) }
    if let equals { return .option(index, String(word[word.utf8.index(after: equals)...])) }
    guard options[index].takesValue else { return .option(index, nil) }
    return .option(index, try nextValue(for: spelled, rest: &rest))
  }

  private func bundle(_ word: String, rest: inout ArraySlice<String>) throws(UsageProblem) -> [ScannedArgument] {
    var found: [ScannedArgument] = []
    var letters = word.unicodeScalars.dropFirst()
    while let letter = letters.popFirst() {
      guard let index = options.firstIndex(where: { $0.short == Character(letter) }) else {
        throw unknownShort(letter, in: word)
      }
      guard options[index].takesValue else {
        found.append(.option(index, nil))
        continue
      }
      if letters.isEmpty { return found + [.option(index, try nextValue(for: "-\(letter)", rest: &rest))] }
      if letters.first == "=" { letters = letters.dropFirst() }
      return found + [.option(index, String(String.UnicodeScalarView(letters)))]
    }
    return found
  }

  private func nextValue(for option: String, rest: inout ArraySlice<String>) throws(UsageProblem) -> String {
    guard let value = rest.popFirst() else { throw UsageProblem("\(option) needs a value") }
    guard value == "-" || value.utf8.first != UInt8(ascii: "-") else {
      throw UsageProblem(
        "\(option) needs a value, and '\(value)' looks like an option",
        hint: "write \(option)=\(value) if it is the value")
    }
    return value
  }

  private func unknown(_ spelled: String) -> UsageProblem {
    let near = nearest(spelled, options.map(\.long))
    return UsageProblem("unknown option '\(spelled)'", hint: near.map { "did you mean \($0)?" })
  }

  private func unknownShort(_ letter: Unicode.Scalar, in word: String) -> UsageProblem {
    let asLong = options.first { $0.long == "-" + word }
    return UsageProblem(
      word.unicodeScalars.count == 2 ? "unknown option '\(word)'" : "unknown option '-\(letter)' in '\(word)'",
      hint: asLong.map { "did you mean \($0.long)?" })
  }
}

/// A fault in the words of one command; `UsageError` says which command.
struct UsageProblem: Error, Hashable, Sendable {
  var message: String
  var hint: String?

  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}
