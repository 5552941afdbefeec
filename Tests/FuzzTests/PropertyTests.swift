// Every property over a few thousand broken inputs, the same ones in every run.

import MirrorPlan
import TestSupport
import Testing
import TransferModel

@Suite struct PropertyTests {
  /// A glob and a state take longer than a line of text.
  private static func count(_ property: FuzzProperty) -> Int {
    switch property.name {
    case "state": 150
    case "glob": 1_500
    case "manifest": 2_000
    default: 4_000
    }
  }

  @Test(arguments: FuzzProperty.all)
  func `broken input is read or refused with a reason`(_ property: FuzzProperty) throws {
    var corpus = try property.seeds()
    if property.name == "manifest" {
      for name in ["everything.yaml", "quickstart.yaml"] {
        corpus.append(try TemporaryDirectory.bytes(ofFile: "\(BuiltProducts.packageFolder)/manifests/\(name)"))
      }
    }
    try Fuzzing.run(property.name, corpus: corpus, count: Self.count(property), property.check)
  }

  /// What libFuzzer has kept, and what it once found wrong: `Tests/Fuzz/Corpora`.
  @Test(arguments: FuzzProperty.all)
  func `what the fuzzer has kept is read or refused with a reason`(_ property: FuzzProperty) throws {
    let folder = "\(BuiltProducts.packageFolder)/Tests/Fuzz/Corpora/\(property.name)"
    for path in try FuzzCorpus.files(in: folder) {
      let bytes = try TemporaryDirectory.bytes(ofFile: path)
      do { try property.check(bytes) } catch { Issue.record("\(path): \(error)") }
    }
  }

  @Test func `properties have names of their own, and seeds that they hold for`() throws {
    #expect(Set(FuzzProperty.all.map(\.name)).count == FuzzProperty.all.count)
    for property in FuzzProperty.all { #expect(try !property.seeds().isEmpty, "\(property.name)") }
  }
}
