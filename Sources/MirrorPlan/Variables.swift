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
    var expansion = VariableExpansion(input: Array(text.utf8))
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

  private mutating func value(of variable: VariableExpansion.Variable) -> Result<String, VariableExpansion.Refusal> {
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
