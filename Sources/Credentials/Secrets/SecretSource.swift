// Where a secret is read from. Reading happens when it is needed, and the value goes nowhere but into a header field.

package import TransferModel

/// A secret by reference.
package enum SecretSource: Hashable, Sendable {
  case environment(String)
  /// An absolute path, or one relative to the working directory.
  case file(String)
  /// A program and its arguments, run without a shell; what it prints is the secret.
  case command([String])

  /// How the source is named in messages: never with the value.
  package var label: String {
    switch self {
    case .environment(let name): "the environment variable \(name)"
    case .file(let path): "the file \(path)"
    case .command(let words): "the command \(words.first ?? "")"
    }
  }
}

/// Reads secrets, with the process's effects passed in.
package struct SecretReader: Sendable {
  package var environment: @Sendable (String) -> String?
  package var readFile: @Sendable (String) throws(TransferFailure) -> [UInt8]
  package var runCommand: @Sendable ([String]) throws(TransferFailure) -> [UInt8]

  package init(
    environment: @escaping @Sendable (String) -> String?,
    readFile: @escaping @Sendable (String) throws(TransferFailure) -> [UInt8] = SecretFile.read,
    runCommand: @escaping @Sendable ([String]) throws(TransferFailure) -> [UInt8] = SecretCommand.run
  ) {
    self.environment = environment
    self.readFile = readFile
    self.runCommand = runCommand
  }

  /// The secret, without the line break that files and commands end with.
  ///
  /// Throws `unauthenticated`/`permanent` when the source has none, it is empty, it is not UTF-8, or it holds a control
  /// character: such a value can be no header field (RFC 9110 section 5.5).
  package func read(_ source: SecretSource) throws(TransferFailure) -> String {
    let bytes: [UInt8]
    switch source {
    case .environment(let name):
      guard let value = environment(name) else {
        throw Self.failure(
          "\(source.label) is not set", hint: "Set it before the run, or name another source under `auth:`.")
      }
      bytes = Array(value.utf8)
    case .file(let path): bytes = try readFile(path)
    case .command(let words): bytes = try runCommand(words)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Self.failure("\(source.label) does not hold UTF-8 text", hint: nil)
    }
    let secret = Self.withoutFinalLineBreak(text)
    guard !secret.isEmpty else { throw Self.failure("\(source.label) is empty", hint: nil) }
    guard secret.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw Self.failure("\(source.label) holds a line break or another control character", hint: nil)
    }
    return secret
  }

  private static func withoutFinalLineBreak(_ text: String) -> String {
    var view = Substring(text).utf8
    if view.last == 0x0A { view.removeLast() }
    if view.last == 0x0D { view.removeLast() }
    return String(Substring(view))
  }

  package static func failure(_ message: String, hint: String?) -> TransferFailure {
    TransferFailure(.unauthenticated, .permanent, "a secret cannot be read: \(message)", hint: hint)
  }
}
