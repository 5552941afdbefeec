// Items in their packed form: what went in comes out, in order, however odd.

import MirrorPlan
import TestSupport
import Testing
import TransferModel

@Suite("Item list")
struct ItemListTests {
  private static func item(
    _ references: [Reference], _ destination: String = "d/f", pins: DigestSet = DigestSet(), size: Int64? = nil,
    generation: Int64? = nil, checksumURL: String? = nil, placeholder: String? = nil,
    settings: TransferSettings = TransferSettings(), line: Int = 1, column: Int = 3
  ) throws -> Item {
    Item(
      references: references, destination: try RelativePath(destination), pins: pins, size: size.map { ByteCount($0) },
      generation: generation, checksumURL: try checksumURL.map { try HTTPURL(parsing: $0) }, placeholder: placeholder,
      settings: settings, mark: SourceMark(line: line, column: column))
  }

  private static func web(_ text: String) throws -> Reference { .web(try HTTPURL(parsing: text)) }

  private static func object(_ bucket: String, _ name: String?, at endpoint: Origin? = nil) -> Reference {
    .storage(StorageAddress(bucket: bucket, object: name.map { ObjectName($0) }, endpoint: endpoint))
  }

  private static func everyPin() -> DigestSet {
    var pins = DigestSet()
    pins.crc32c = Digest(crc32c: 0x0102_0304)
    for algorithm in [DigestAlgorithm.md5, .sha256, .sha512] {
      pins[algorithm] = Digest(algorithm, bytes: (0..<algorithm.byteCount).map { UInt8($0 * 3) })
    }
    return pins
  }

  /// Each differs from its neighbour in another way.
  private static func odd() throws -> [Item] {
    var patient = TransferSettings()
    patient.retry.budget = .seconds(77)
    var copied = TransferSettings()
    copied.modified = .now
    return [
      try item([web("http://a.example/x/one")], "x/one"),
      try item([web("http://a.example/x/only")], "x/only", line: 2),
      try item([web("http://a.example/x/on")], "x/on", line: 2, column: 90),
      try item([web("http://a.example:8080/x/on?q=/a?b")], "x", line: 9),
      try item([web("http://user:p%40ss@a.example/x?")], "é/e\u{301}", line: 5),
      try item([web("http://other:p%40ss@a.example/x")], "é", line: 5),
      try item([web("https://A.example"), web("https://[::1]:9/x%2Fy"), object("b", "x")], "z"),
      try item([object("b", "x/é"), object("b", "x/e\u{301}"), object("c", "x", at: Origin(scheme: .http, host: "h"))]),
      try item([object("b", nil)], size: 0, generation: 1),
      try item([object("b", "")], size: .max, generation: .max, settings: patient),
      try item([object("b", "q")], pins: everyPin(), placeholder: "", settings: copied),
      try item(
        [object("b", "q")], checksumURL: "https://ci.example/SHA256SUMS", placeholder: "p/q", settings: patient),
      try item([object("b", "r")], checksumURL: "https://ci.example/SHA256SUMS?x", placeholder: "p"),
      try item([], "nothing to fetch it from"),
    ]
  }

  @Test("what goes in comes out, whatever comes before it")
  func roundTrip() throws {
    let items = try Self.odd()
    for shift in items.indices {
      let turned = Array(items[shift...] + items[..<shift])
      let list = ItemList(turned)
      #expect(list.count == turned.count)
      #expect(list.first == turned.first)
      for (made, given) in zip(list, turned) {
        #expect(made == given)
        #expect(made.mark == given.mark)
        // Equal origins and texts, not just equal bytes.
        for case (.web(let one), .web(let other)) in zip(made.references, given.references) {
          #expect(one.origin == other.origin && one.userInfo == other.userInfo)
          #expect(one.path == other.path && one.query == other.query)
        }
      }
    }
  }

  @Test("long lists, in an order that only a seed knows")
  func longLists() throws {
    let items = try Self.odd()
    var dice = SplitMix64(seed: 15)
    for _ in 0..<20 {
      let drawn = (0..<300).map { _ in items[Int.random(in: items.indices, using: &dice)] }
      #expect(Array(ItemList(drawn)) == drawn)
    }
  }

  @Test("a copy stays what it was, and the settings are each there once")
  func values() throws {
    let items = try Self.odd()
    var list = ItemList(items)
    let copy = list
    list.append(items[0])
    #expect(copy.count == items.count && Array(copy) == items)
    #expect(list.count == items.count + 1 && Array(list) == items + [items[0]])
    #expect(list.settings.count == 3 && Set(list.settings) == Set(items.map(\.settings)))
    #expect(list.hasStorageObjects)
    #expect(!ItemList(items.prefix(6)).hasStorageObjects)
    #expect(ItemList().isEmpty && ItemList().first == nil && Array(ItemList()).isEmpty)
    #expect(list != copy && copy == ItemList(items))
  }
}
