// Reading JSON: what is taken, what is refused and where.

import Testing
import TransferModel

private func parse(_ text: String) throws(JSONError) -> JSONValue { try JSONValue(parsing: text) }

@Suite("Reading JSON")
struct JSONReaderTests {
  @Test("values of every kind")
  func values() throws {
    let value = try parse(#" {"a":[1,-2.5e3,true,false,null,"x"],"b":{},"c":[] } "#)
    #expect(value["a"]?.array?.count == 6)
    #expect(value["a"]?.array?[1].number?.double == -2500)
    #expect(value["a"]?.array?[2].bool == true)
    #expect(value["a"]?.array?[4] == .null)
    #expect(value["a"]?.array?[5].string == "x")
    #expect(value["b"]?.members == [])
    #expect(value["c"]?.array == [])
    #expect(value["d"] == nil)
    #expect(try parse("\"top\"") == .string("top"))
  }

  @Test(
    "numbers are exact",
    arguments: [
      ("9223372036854775807", Int64.max as Int64?), ("-9223372036854775808", .min),
      ("9007199254740993", 9_007_199_254_740_993),
      ("0", 0), ("-0", 0), ("9223372036854775808", nil), ("1.5", nil), ("1e3", nil), ("1.0", nil),
    ])
  func numbers(text: String, value: Int64?) throws {
    let number = try #require(try parse(text).number)
    #expect(number.int64 == value)
    #expect(number.text == text)
  }

  @Test(
    "F02 F03 F05 F06: a whole number may come as text",
    arguments: [
      (#""11""#, 11 as Int64?), ("11", 11), (#""abc""#, nil), ("null", nil), ("1.5", nil),
      (#""9223372036854775807""#, Int64.max), (#""9223372036854775808""#, nil),
    ])
  func wholeNumbers(text: String, value: Int64?) throws {
    #expect(try parse(text).int64 == value)
  }

  @Test(
    "escapes",
    arguments: [
      (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
      (#""\u00e9\u00E9\u0065\u0301""#, "\u{E9}\u{E9}e\u{301}"),
      (#""\ud83d\ude87x""#, "🚇x"),
      (#""\u0000""#, "\0"),
      (#""日本\n""#, "日本\n"),
    ])
  func escapes(text: String, value: String) throws {
    #expect(Array((try parse(text).string ?? "").utf8) == Array(value.utf8))
  }

  @Test(
    "is refused at the byte that does not fit",
    arguments: [
      ("", 0), ("  ", 2), ("[1,]", 3), ("[,1]", 1), ("{\"a\":1,}", 7), ("{\"a\" 1}", 5), ("{a:1}", 1), ("[1 2]", 3),
      ("[1}", 2), ("{\"a\":1]", 6), ("01", 0), ("-", 1), ("1.", 2), ("1e", 2), ("+1", 0), (".5", 0), ("nul", 0),
      ("tru", 0), ("True", 0), ("NaN", 0), ("'a'", 0), ("1 2", 2), ("[1] // c", 4), ("\"a", 0), ("\"a\nb\"", 2),
      ("\"\\x\"", 1), ("\"\\u12g4\"", 1), ("\"\\u12", 1), ("\"\\", 1), ("[", 1), ("{", 1), ("{\"a\"", 4),
      ("{\"a\":", 5),
      ("[[1]", 4),
    ])
  func refused(text: String, offset: Int) {
    let error = #expect(throws: JSONError.self) { try parse(text) }
    #expect(error?.offset == offset, "\(error?.description ?? "")")
  }

  @Test(
    "R16: half of a surrogate pair is an error",
    arguments: [#""\ud800""#, #""\udc00""#, #""\ud800x""#, #""\ud800\u0041""#, #""\ud800\ud800""#])
  func loneSurrogates(text: String) {
    #expect(throws: JSONError.self) { try parse(text) }
  }

  @Test(
    "bytes that are not UTF-8 are an error",
    arguments: [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0xAF]] as [[UInt8]])
  func invalidUTF8(bytes: [UInt8]) {
    #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22] + bytes + [0x22]) }
  }

  @Test("a byte order mark is skipped, once and only at the start")
  func byteOrderMark() throws {
    #expect(try JSONValue(parsing: [0xEF, 0xBB, 0xBF] + Array("[]".utf8)) == .array([]))
    #expect(throws: JSONError.self) { try JSONValue(parsing: Array("[]".utf8) + [0xEF, 0xBB, 0xBF]) }
  }

  @Test("nesting is bounded, also for what is skipped")
  func depth() throws {
    func nested(_ levels: Int) -> [UInt8] {
      [UInt8](repeating: UInt8(ascii: "["), count: levels) + [UInt8](repeating: UInt8(ascii: "]"), count: levels)
    }
    #expect(throws: Never.self) { try JSONValue(parsing: nested(64)) }
    #expect(throws: JSONError.self) { try JSONValue(parsing: nested(65)) }
    #expect(throws: JSONError.self) { try JSONValue(parsing: nested(1_000_000)) }
    #expect(throws: JSONError.self) {
      var reader = JSONReader(nested(100_000))
      try reader.skipValue()
    }
  }

  @Test("of a key that comes twice the last is given and both are kept")
  func duplicateKeys() throws {
    let value = try parse(#"{"a":1,"a":2}"#)
    #expect(value["a"]?.int64 == 2)
    #expect(value.members?.count == 2)
  }

  @Test("keys are compared by bytes")
  func keysByBytes() throws {
    #expect(try parse("{\"e\u{301}\":1}")["\u{E9}"] == nil)
  }

  @Test("a bad item is stepped over and the next one read")
  func bookmark() throws {
    var reader = JSONReader(Array(#"[{"name":"a"},{"name":"\ud800","x":[{}]},{"name":"c"}]"#.utf8))
    var names: [String] = []
    var problems = 0
    try reader.beginArray()
    while try reader.nextElement() {
      let start = reader
      do {
        names.append(try reader.readValue()["name"]?.string ?? "")
      } catch {
        problems += 1
        reader = start
        try reader.skipValue()
      }
    }
    try reader.finish()
    #expect(names == ["a", "c"])
    #expect(problems == 1)
  }

  @Test("garbage is refused without a trap")
  func garbage() {
    var random = SplitMix(seed: 4)
    let seeds = [#"{"a":[1,2.5e-3,{"b":"\u00e9\ud83d\ude87"}],"c":null,"d":true}"#, #"[[["x\\\"y"]],-1]"#]
    for round in 0..<4_000 {
      var bytes = Array(seeds[round % seeds.count].utf8)
      for _ in 0...random.below(3) {
        switch random.below(3) {
        case 0: bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.remove(at: random.below(bytes.count))
        default: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: random.below(bytes.count))
        }
      }
      var skipper = JSONReader(bytes)
      try? skipper.skipValue()
      do {
        let value = try JSONValue(parsing: bytes)
        var writer = JSONWriter()
        writer.value(value)
        #expect(try JSONValue(parsing: writer.bytes) == value)
      } catch {
        #expect(error.offset <= bytes.count)
      }
    }
  }
}
