// Programs that print secrets, and what secrets may be.

import Glibc
import Testing
import TransferModel

@testable import Credentials

@Suite struct CredentialsCommandTests {
  private static func run(_ script: String, timeout: Duration = .seconds(20)) throws -> String {
    String(decoding: try SecretCommand.run(["sh", "-c", script], timeout: timeout), as: UTF8.self)
  }

  @Test func `a command gets its words as they are, and no input`() throws {
    let printed = try SecretCommand.run(["printf", "%s|", "a b", "$HOME", "*"])
    #expect(String(decoding: printed, as: UTF8.self) == "a b|$HOME|*|")
    #expect(try Self.run("cat; echo end") == "end\n")
  }

  @Test func `a command has no signal blocked or ignored, though transfer threads block all`() async throws {
    let text = await withCheckedContinuation { continuation in
      SecretCommand.runAside {
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, nil)
        continuation.resume(returning: (try? Self.run("grep -E '^Sig(Blk|Ign)' /proc/self/status")) ?? "failed")
      }
    }
    let masks = text.split(whereSeparator: { $0.isWhitespace }).compactMap { UInt64($0, radix: 16) }
    // The C library keeps signals 32 and 33 for itself.
    #expect(masks.map { $0 & 0x7FFF_FFFF } == [0, 0], "\(text)")
  }

  @Test(arguments: [
    ("exit 3", "the command sh failed"), ("head -c 70000 /dev/zero", "prints more than 65536 bytes"),
    ("printf secret-x; kill -9 $$", "the command sh failed"),
  ])
  func `a command that fails is an error without what it printed`(script: String, part: String) throws {
    let thrown = try failure { _ = try Self.run(script) }
    #expect(thrown.message.contains(part) && !thrown.message.contains("secret-x"))
    #expect(thrown.reason == .unauthenticated)
  }

  @Test func `a command that does not end is killed`() throws {
    let thrown = try failure { _ = try Self.run("exec sleep 60", timeout: .milliseconds(50)) }
    #expect(thrown.message.contains("printed nothing"))
    #expect(try failure { _ = try SecretCommand.run(["no-such-program-zq"]) }.message.contains("cannot be started"))
  }

  @Test(arguments: [
    ("token\n", "token"), ("token\r\n", "token"), ("token", "token"), (" to ken ", " to ken "),
    ("t\u{e9}\n", "t\u{e9}"),
  ])
  func `a secret is what is printed, without the line break at its end`(text: String, secret: String) throws {
    #expect(try SecretReader.fake(files: ["/f": text]).read(.file("/f")) == secret)
  }

  @Test(arguments: ["", "\n", "a\nb", "a\u{0}b", "a\n\n", "a\tb"])
  func `a secret that can be no header field is refused`(text: String) throws {
    let thrown = try failure { _ = try SecretReader.fake(files: ["/f": text]).read(.file("/f")) }
    #expect(thrown.message.contains("the file /f"))
  }
}
