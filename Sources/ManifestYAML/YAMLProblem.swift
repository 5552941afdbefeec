// What libyaml says is wrong, in plain words and at the right place.

import CYAML
import MirrorPlan

enum YAMLProblem {
  /// The failure that stands in the parser after a call returned 0.
  static func failure(of parser: UnsafePointer<yaml_parser_t>, in bytes: UnsafeBufferPointer<UInt8>) -> YAMLFailure {
    let state = parser.pointee
    guard state.error != YAML_MEMORY_ERROR else {
      return YAMLFailure(SourceSpan(line: 0, column: 0), "no memory for the YAML parser")
    }
    let problem = state.problem.map { String(cString: $0) } ?? "this is no YAML"
    let mark = state.problem_mark
    let span = SourceSpan(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
    if byte(at: mark, in: bytes) == UInt8(ascii: "\t") {
      return YAMLFailure(span, "a tab where YAML takes only spaces", hint: "indent with spaces")
    }
    let words = plainWords[problem]
    var message = words?.message ?? problem
    let context = state.context_mark
    if words?.namesBeginning ?? false, context.line != mark.line {
      message += "; it began at line \(context.line + 1)"
    }
    return YAMLFailure(span, message, hint: words?.hint)
  }

  /// libyaml's mark counts characters; the byte is found from the beginning, once, as the reading ends here.
  private static func byte(at mark: yaml_mark_t, in bytes: UnsafeBufferPointer<UInt8>) -> UInt8? {
    var characters = 0
    for byte in bytes where byte & 0xC0 != 0x80 {
      if characters == Int(mark.index) { return byte }
      characters += 1
    }
    return nil
  }

  private struct Words {
    var message: String
    var hint: String?
    /// Whether it helps to know where the broken thing began.
    var namesBeginning = false
  }

  private static let plainWords: [String: Words] = [
    "mapping values are not allowed in this context": Words(
      message: "a `:` that makes no key here", hint: "quote a text that holds `: `; check the indentation"),
    "block sequence entries are not allowed in this context": Words(
      message: "a `- ` that begins no list here", hint: "put the list on lines of its own below the key"),
    "did not find expected key": Words(
      message: "a key was expected here", hint: "check the indentation and the quotes above", namesBeginning: true),
    "did not find expected '-' indicator": Words(
      message: "the next `- ` of the list was expected here", hint: "check the indentation", namesBeginning: true),
    "did not find expected ',' or ']'": Words(
      message: "the list in [ ] lacks a `,` or its `]`", hint: nil, namesBeginning: true),
    "did not find expected ',' or '}'": Words(
      message: "the mapping in { } lacks a `,` or its `}`", hint: "quote a text that holds `{`, `}` or `${…}`",
      namesBeginning: true),
    "did not find expected node content": Words(message: "a value was expected here", hint: nil),
    "could not find expected ':'": Words(
      message: "the line before is a key without its `:`, or a text that lacks a quote", hint: nil, namesBeginning: true
    ),
    "found unexpected end of stream": Words(
      message: "the text ends inside quotes", hint: "close the quotes", namesBeginning: true),
    "found character that cannot start any token": Words(
      message: "no value begins with this character", hint: "put the value in quotes"),
    "found unknown escape character": Words(
      message: "no such escape in a \"…\" text", hint: "write `\\\\` for a backslash, or use '…'"),
    "did not find expected <document start>": Words(
      message: "nothing can follow here: the top mapping has ended", hint: "check the indentation"),
    "found unexpected document indicator": Words(
      message: "a `---` or `...` inside quotes", hint: "close the quotes", namesBeginning: true),
    "found undefined tag handle": Words(
      message: "a tag; manifests have none", hint: "quote a text that begins with `!`"),
    "found a tab character that violates indentation": Words(
      message: "a tab where YAML takes only spaces", hint: "indent with spaces"),
    "found a tab character where an indentation space is expected": Words(
      message: "a tab where YAML takes only spaces", hint: "indent with spaces"),
  ]
}
