// The sources stand in the house as it was drawn, and the check that says so can fail.

import Testing

@Suite struct LayeringTests {
  @Test func `every source file keeps to its storey`() throws {
    let files = try SourceTree.files()
    #expect(files.count > 20, "found \(files.count) files below \(SourceTree.package.path)")
    let violations = files.flatMap(LayeringCheck.violations)
    #expect(violations.isEmpty, "\(violations.map(\.description).joined(separator: "\n"))")
  }

  @Test func `every folder of Sources is drawn, and everything drawn is there`() throws {
    #expect(try SourceTree.folders() == Set(House.rooms.map(\.key)).union(House.systemLibraries))
  }

  @Test func `arrows point down only`() {
    var below = House.systemLibraries
    for (target, room) in House.rooms {
      #expect(room.mayImport.isSubset(of: below), "\(target) imports what stands above it, or nowhere")
      below.insert(target)
    }
  }

  /// It is built by hand only, and would break unseen.
  @Test func `the package of the fuzzers has the house's storeys, as they are`() throws {
    let house = try SourceTree.uses(inPackage: "", of: "storey")
    let fuzzed = try SourceTree.uses(inPackage: "Tests/Fuzz/", of: "storey")
    #expect(fuzzed.count > 5)
    for (name, uses) in fuzzed { #expect(house[name] == uses, "\(name)") }
    let properties = try #require(try SourceTree.uses(inPackage: "", of: "tests")["FuzzTests"])
    let program = try #require(try SourceTree.uses(inPackage: "Tests/Fuzz/", of: ".executableTarget")["fuzz"])
    #expect(properties.isSubset(of: program), "\(properties.subtracting(program))")
  }

  @Test("programs are linked without Foundation", arguments: ["mirror", "storage-emulator"])
  func programs(_ program: String) {
    #expect(House.linked(into: program).isDisjoint(with: House.mayImportFoundation))
  }

  @Test(
    "a planted violation is found",
    arguments: [
      ("TransferModel", "import CurlTransport", "TransferModel must not import CurlTransport"),
      ("TransferModel", "package import MirrorPlan", "TransferModel must not import MirrorPlan"),
      ("MirrorPlan", "@preconcurrency import Dispatch", "MirrorPlan must not import Dispatch"),
      ("MirrorPlan", "import Foundation", "MirrorPlan must not import Foundation"),
      ("MirrorEngine", "internal import CurlTransport", "MirrorEngine must not import CurlTransport"),
      ("MirrorEngine", "package import CloudStorage", "MirrorEngine must not import CloudStorage"),
      ("ManifestYAML", "import struct MirrorEngine.Executor", "ManifestYAML must not import MirrorEngine"),
      ("FileTransfer", "\timport  Credentials // why not", "FileTransfer must not import Credentials"),
      ("CloudStorage", "@_exported public import MirrorPlan", "CloudStorage must not import MirrorPlan"),
      ("LocalFiles", "final class A: @unchecked Sendable {}", "@unchecked Sendable stands in CurlTransport only"),
      ("Attic", "import TransferModel", "Attic is not a room of the house"),
    ])
  func planted(target: String, line: String, rule: String) {
    let file = SourceFile(target: target, path: "x.swift", text: "\(line)\n")
    #expect(LayeringCheck.violations(in: file) == [Violation(path: "x.swift", line: 1, rule: rule)])
  }

  @Test(
    "what is allowed is let through",
    arguments: [
      ("MirrorPlan", "package import TransferModel"), ("CurlTransport", "import CCurl"),
      ("CurlTransport", "final class A: @unchecked Sendable {}"), ("CloudStorage", "public import Foundation"),
      ("LocalFiles", "// no @unchecked Sendable here"), ("TransferModel", "import Glibc"),
      ("TransferModel", "// import CurlTransport"), ("TransferModel", "importance = 1"), ("mirror", "import MirrorCLI"),
    ])
  func allowed(target: String, line: String) {
    #expect(LayeringCheck.violations(in: SourceFile(target: target, path: "x.swift", text: line)).isEmpty)
  }

  @Test func `a violation is named with its line`() {
    let text = "// A file.\n\nimport Glibc\nimport CYAML\n"
    let found = LayeringCheck.violations(in: SourceFile(target: "TransferModel", path: "a/b.swift", text: text))
    #expect(found.map(\.description) == ["a/b.swift:4: TransferModel must not import CYAML"])
  }

  @Test func `the longest file has 500 lines`() {
    let atLimit = String(repeating: "\n", count: 500)
    #expect(LayeringCheck.violations(in: SourceFile(target: "MirrorPlan", path: "x", text: atLimit)).isEmpty)
    let over = LayeringCheck.violations(in: SourceFile(target: "MirrorPlan", path: "x", text: atLimit + "\n"))
    #expect(over.map(\.rule) == ["a file has at most 500 lines"])
  }
}
