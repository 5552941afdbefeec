// P73: which mode and group a file ends with. The umask belongs to the whole process, so these tests run one at a time,
// and every other test of this target is indifferent to it.

import Glibc
import LocalFiles
import Testing
import TransferModel

@Suite("File modes", .serialized)
struct FileModeTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let umask: mode_t
    /// What stood there; nil = nothing.
    let replaced: UInt16?
    /// What the manifest says; nil = nothing.
    let given: UInt16?
    let result: UInt16

    var testDescription: String {
      func octal(_ mode: UInt16?) -> String { mode.map { String($0, radix: 8) } ?? "none" }
      return "umask \(String(umask, radix: 8)), was \(octal(replaced)), given \(octal(given)) → \(octal(result))"
    }
  }

  static let table: [Row] = [
    Row(umask: 0o022, replaced: nil, given: nil, result: 0o644),
    Row(umask: 0o027, replaced: nil, given: nil, result: 0o640),
    Row(umask: 0o077, replaced: nil, given: nil, result: 0o600),
    Row(umask: 0o022, replaced: 0o664, given: nil, result: 0o664),
    Row(umask: 0o077, replaced: 0o664, given: nil, result: 0o664),
    Row(umask: 0o022, replaced: 0o400, given: nil, result: 0o400),
    Row(umask: 0o022, replaced: 0o4755, given: nil, result: 0o755),
    Row(umask: 0o022, replaced: nil, given: 0o644, result: 0o644),
    Row(umask: 0o077, replaced: nil, given: 0o644, result: 0o644),
    Row(umask: 0o077, replaced: 0o664, given: 0o755, result: 0o755),
    Row(umask: 0o000, replaced: nil, given: 0o400, result: 0o400),
    Row(umask: 0o027, replaced: nil, given: 0o2750, result: 0o2750),
  ]

  @Test("P73: given mode, else that of the replaced file, else 0666 less the umask", arguments: table, [0, 65_536])
  func mode(row: Row, bufferLimit: Int) throws {
    let directory = try TestDirectory()
    if let replaced = row.replaced { try directory.write("f", "old", mode: mode_t(replaced)) }
    let old = umask(row.umask)
    defer { umask(old) }
    #expect(FileSystemFacts.currentUmask() == UInt16(row.umask))
    var options = PartialFile.Options()
    options.mode = row.given
    options.bufferLimit = bufferLimit
    let sink = try PartialFile(
      destination("f"), in: try directory.cache(), digest: try StreamingDigest([]), options: options)
    try write("new", to: sink)
    try sink.commit(modified: nil)
    #expect(directory.mode("f") == row.result)
    #expect(sink.stamp?.mode == row.result)
  }

  @Test("a part file is never more open than the final file will be")
  func partMode() throws {
    let directory = try TestDirectory()
    let old = umask(0o022)
    defer { umask(old) }
    var options = PartialFile.Options()
    options.mode = 0o400
    options.bufferLimit = 0
    let sink = try PartialFile(
      destination("f"), in: try directory.cache(), digest: try StreamingDigest([]), options: options)
    try write("secret", to: sink)
    #expect(directory.mode(TemporaryName.part(for: try destination("f"))) == 0o600)
    sink.discard()
  }

  @Test("P73: a file in a set-gid directory gets the directory's group", .enabled(if: geteuid() == 0, "needs root"))
  func setGID() throws {
    let directory = try TestDirectory()
    try directory.makeDirectory("shared")
    #expect(chown(directory.path("shared"), 0, 12_345) == 0)
    #expect(chmod(directory.path("shared"), 0o2775) == 0)
    let sink = try PartialFile(
      destination("shared/sub/f"), in: try directory.cache(), digest: try StreamingDigest([]))
    try sink.commit(modified: nil)
    #expect(directory.status("shared/sub/f")?.st_gid == 12_345)
  }

  @Test("documents follow the same rule")
  func documents() throws {
    let directory = try TestDirectory()
    let old = umask(0o027)
    defer { umask(old) }
    for (name, replaced, given, result) in [
      ("new", nil, nil, 0o640), ("kept", 0o664, nil, 0o664), ("given", 0o664, 0o600, 0o600),
    ] as [(String, mode_t?, UInt16?, UInt16)] {
      if let replaced { try directory.write(name, "old", mode: replaced) }
      let document = try AtomicDocument(directory.path(name), mode: given)
      try document.publish()
      #expect(directory.mode(name) == result)
    }
  }
}
