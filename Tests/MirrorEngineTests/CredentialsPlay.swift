// Plays the steps of a token method against answers in a list, without a network.

import Testing
import TestSupport
import TransferModel

@testable import Credentials

/// What a method asked, and what came of it.
struct TokenPlay {
  var requests: [HTTPRequest] = []
  var token: IssuedToken?

  static let now = Timestamp(seconds: 1_767_225_600)

  /// - Parameters:
  ///   - answers: status and body, one for each request; the last one is repeated.
  ///   - files: what the files hold; any other file is missing.
  static func run(
    _ method: any TokenMethod, _ answers: [(Int, String)] = [], fields: HTTPFields = HTTPFields(),
    files: [String: String] = [:], environment: [String: String] = [:]
  ) throws -> TokenPlay {
    var play = TokenPlay()
    let reader = SecretReader.fake(files: files, environment: environment)
    var step = try method.begin(at: now)
    while play.token == nil {
      switch step {
      case .done(let token): play.token = token
      case .read(let source, let next): step = try next(try reader.read(source))
      case .readFile(let path, let next): step = try next(try reader.readFile(path))
      case .ask(let asked, let next):
        play.requests.append(asked.request)
        let (status, body) = try #require(answers.isEmpty ? nil : answers[min(play.requests.count, answers.count) - 1])
        step = try next(
          TokenAnswer(
            head: HTTPResponseHead(status: status, fields: fields), body: Array(body.utf8), place: asked.place,
            now: now))
      }
    }
    return play
  }

  func body(_ index: Int = 0) -> String { String(decoding: requests[index].body, as: UTF8.self) }
  func url(_ index: Int = 0) -> String { requests[index].url.wireText }
}

extension SecretReader {
  static func fake(files: [String: String] = [:], environment: [String: String] = [:]) -> SecretReader {
    SecretReader(
      environment: { environment[$0] },
      readFile: { path throws(TransferFailure) in
        guard let text = files[path] else {
          throw SecretReader.failure("\(path): No such file or directory", hint: nil)
        }
        return Array(text.utf8)
      },
      runCommand: { words throws(TransferFailure) in Array(words.joined(separator: " ").utf8) })
  }
}

/// A key pair of a test's own, by the `openssl` command; nothing that looks like a key is in the sources.
struct TestKey {
  let folder: TemporaryDirectory
  let pem: String

  init() throws {
    folder = try TemporaryDirectory()
    let made = try ChildProcess.run(
      "openssl", ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", folder.path("key.pem")])
    try #require(made.status == 0)
    pem = try folder.readText("key.pem")
  }

  /// Whether the signature (base64url) over `text` is of this key.
  func verifies(_ signature: some StringProtocol, over text: String) throws -> Bool {
    let padded = String(signature.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    try folder.write(
      try #require(Base64.decode(padded + String(repeating: "=", count: (4 - padded.count % 4) % 4))), to: "signature")
    try folder.write(text, to: "text")
    let result = try ChildProcess.run(
      "openssl",
      [
        "dgst", "-sha256", "-prverify", folder.path("key.pem"), "-signature", folder.path("signature"),
        folder.path("text"),
      ])
    return result.status == 0
  }

  /// The key as JSON has it, with `\n` escapes.
  var jsonText: String { pem.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n") }
}

/// The failure that something throws.
func failure(_ body: () throws -> Void) throws -> TransferFailure {
  let error = #expect(throws: TransferFailure.self) { try body() }
  return try #require(error)
}
