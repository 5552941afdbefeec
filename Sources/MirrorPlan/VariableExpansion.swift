// One text while its variables are put in. The rules are told in `Variables.swift`.

/// One text on its way: what was read, what came out, where a variable came out empty.
struct VariableExpansion {
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
