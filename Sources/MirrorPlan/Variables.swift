// Puts the values of environment variables into a text of the manifest, after YAML was read: a variable's value can never
// become YAML.

/// Puts variables into texts.
///
/// | written | is |
/// | --- | --- |
/// | `${NAME}` | the value; an error when the variable is not set |
/// | `${NAME:-text}` | the value, or `text` when it is not set or empty |
/// | `${NAME:?text}` | the value; an error that says `text` when it is not set or empty |
/// | `$$` | a dollar sign |
///
/// Any other `$` is an error. A path component that consists of variables and comes out empty is one too: `${DIR}/x` with
/// an empty `DIR` would be the absolute path `/x`.
package struct Variables {
  /// What is wrong with one variable; the place in characters of the text.
  package struct Problem: Error, Hashable, Sendable {
    package var offset: Int
    package var length: Int
    package var message: String
    package var hint: String?
  }

  private let environment: (String) -> String?
  private var known: [String: String?] = [:]

  package init(environment: @escaping (String) -> String?) { self.environment = environment }

  /// The text with its variables put in, or all that is wrong with them. `mayBeEmpty` turns off the rule about empty
  /// path components.
  package mutating func expand(_ text: String, mayBeEmpty: Bool = false) -> (text: String, problems: [Problem]) {
    guard text.utf8.contains(UInt8(ascii: "$")) else { return (text, []) }
    var expansion = Expansion(input: Array(text.utf8))
    while let part = expansion.nextPart() {
      switch part {
      case .variable(let variable): expansion.put(value(of: variable), for: variable)
      case .problem(let start, let end, let message, let hint):
        expansion.report(start, end, message, hint)
      }
    }
    if !mayBeEmpty { expansion.reportEmptyComponents() }
    return (String(decoding: expansion.output, as: UTF8.self), expansion.problems)
  }

  private mutating func lookUp(_ name: String) -> String? {
    if let value = known[name] { return value }
    let value = environment(name)
    known[name] = .some(value)
    return value
  }

  private mutating func value(of variable: Expansion.Variable) -> Result<String, Expansion.Refusal> {
    let value = lookUp(variable.name)
    switch variable.form {
    case .plain:
      guard let value else {
        return .failure(
          .init(
            message: "the variable `\(variable.name)` is not set",
            hint: "set it, or give a default: `${\(variable.name):-value}`"))
      }
      return .success(value)
    case .orDefault(let text):
      guard let value, !value.isEmpty else { return .success(text) }
      return .success(value)
    case .orMessage(let text):
      guard let value, !value.isEmpty else {
        let state = value == nil ? "is not set" : "is empty"
        return .failure(
          .init(message: "the variable `\(variable.name)` \(state)" + (text.isEmpty ? "" : ": \(text)"), hint: nil))
      }
      return .success(value)
    }
  }
}

/// One text on its way: what was read, what came out, where a variable came out empty.
private struct Expansion {
  struct Variable {
    enum Form {
      case plain
      case orDefault(String)
      case orMessage(String)
    }
    var name: String
    var form: Form
    var start: Int
    var end: Int
  }

  struct Refusal: Error {
    var message: String
    var hint: String?
  }

  enum Part {
    case variable(Variable)
    case problem(start: Int, end: Int, message: String, hint: String?)
  }

  let input: [UInt8]
  var output: [UInt8] = []
  var problems: [Variables.Problem] = []
  private var position = 0
  private var empties: [(at: Int, variable: Variable)] = []

  init(input: [UInt8]) { self.input = input }

  /// Copies plain text and returns the next variable; nil at the end.
  mutating func nextPart() -> Part? {
    while position < input.count {
      let byte = input[position]
      guard byte == UInt8(ascii: "$") else {
        output.append(byte)
        position += 1
        continue
      }
      let next = position + 1 < input.count ? input[position + 1] : 0
      if next == UInt8(ascii: "$") {
        output.append(byte)
        position += 2
      } else if next == UInt8(ascii: "{") {
        return variable()
      } else {
        position += 1
        return .problem(
          start: position - 1, end: position, message: "a `$` that begins no variable",
          hint: "write `$$` for a dollar sign, `${NAME}` for a variable")
      }
    }
    return nil
  }

  private mutating func variable() -> Part {
    let start = position
    guard let close = input[start...].firstIndex(of: UInt8(ascii: "}")) else {
      position = input.count
      return .problem(start: start, end: input.count, message: "a `${` without its `}`", hint: nil)
    }
    position = close + 1
    let body = input[(start + 2)..<close]
    let nameEnd = body.firstIndex { !Self.isNameByte($0) } ?? close
    let name = body[..<nameEnd]
    let form = body[nameEnd...]
    if let first = name.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) {
      let argument = String(decoding: form.dropFirst(2), as: UTF8.self)
      let plainName = String(decoding: name, as: UTF8.self)
      if argument.utf8.contains(UInt8(ascii: "$")) {
        return .problem(start: start, end: position, message: "a variable inside another's default", hint: nil)
      }
      if form.isEmpty {
        return .variable(Variable(name: plainName, form: .plain, start: start, end: position))
      }
      if form.starts(with: ":-".utf8) {
        return .variable(Variable(name: plainName, form: .orDefault(argument), start: start, end: position))
      }
      if form.starts(with: ":?".utf8) {
        return .variable(Variable(name: plainName, form: .orMessage(argument), start: start, end: position))
      }
    }
    return .problem(
      start: start, end: position, message: "this is no variable",
      hint: "the forms are `${NAME}`, `${NAME:-default}` and `${NAME:?message}`")
  }

  mutating func put(_ value: Result<String, Refusal>, for variable: Variable) {
    switch value {
    case .success(let text):
      if text.isEmpty { empties.append((output.count, variable)) }
      output += text.utf8
    case .failure(let refusal):
      report(variable.start, variable.end, refusal.message, refusal.hint)
    }
  }

  mutating func report(_ start: Int, _ end: Int, _ message: String, _ hint: String?) {
    let offset = Self.characters(input[..<start])
    let length = max(1, Self.characters(input[start..<end]))
    problems.append(Variables.Problem(offset: offset, length: length, message: message, hint: hint))
  }

  /// A component is empty when a slash or an end stands on both sides of where a variable came out empty.
  mutating func reportEmptyComponents() {
    let slash = UInt8(ascii: "/")
    for (at, variable) in empties {
      let opens = at == 0 || output[at - 1] == slash
      let closes = at == output.count || output[at] == slash
      if opens && closes {
        report(
          variable.start, variable.end, "the variable `\(variable.name)` is empty and leaves an empty path component",
          "set it, or demand it with `${\(variable.name):?}`")
      }
    }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func characters(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
  }
}
