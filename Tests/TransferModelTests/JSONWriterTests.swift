// Writing JSON.

import Testing
import TransferModel

private func written(_ layout: JSONWriter.Layout = .compact, _ body: (inout JSONWriter) -> Void) -> String {
  var writer = JSONWriter(layout: layout)
  body(&writer)
  return String(decoding: writer.bytes, as: UTF8.self)
}

@Suite("Writing JSON")
struct JSONWriterTests {
  private func sample(_ writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("a", 1)
    writer.member("left out", nil as String?)
    writer.key("list")
    writer.beginArray()
    writer.beginObject(onOneLine: true)
    writer.member("x", "y")
    writer.member("z", true)
    writer.endObject()
    writer.null()
    writer.endArray()
    writer.key("empty")
    writer.beginArray()
    writer.endArray()
    writer.key("none")
    writer.beginObject()
    writer.endObject()
    writer.endObject()
  }

  @Test("compact: keys stand in the order of the calls")
  func compact() {
    #expect(written(.compact, sample) == #"{"a":1,"list":[{"x":"y","z":true},null],"empty":[],"none":{}}"#)
  }

  @Test("a member is the same in one piece as by key and value", arguments: [JSONWriter.Layout.compact, .indented])
  func members(layout: JSONWriter.Layout) {
    let texts = ["", "plain", "tab\there", "quote \"", String(repeating: "long ", count: 200)]
    let numbers: [Int64] = [0, -1, 9, 10, -10, 4_096, .max, .min]
    let digests = DigestAlgorithm.allCases.compactMap { algorithm in
      Digest(algorithm, bytes: (0..<algorithm.byteCount).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 9) })
    }
    for isOnOneLine in [true, false] {
      let inOnePiece = written(layout) { writer in
        writer.beginObject(onOneLine: isOnOneLine)
        for text in texts { writer.member("text", text) }
        for number in numbers { writer.member("number", number) }
        for digest in digests { writer.member("digest", digest) }
        writer.endObject()
      }
      let piecemeal = written(layout) { writer in
        writer.beginObject(onOneLine: isOnOneLine)
        for text in texts {
          writer.key(named: "text")
          writer.string(text)
        }
        for number in numbers {
          writer.key(named: "number")
          writer.number(JSONNumber(number))
        }
        for digest in digests {
          writer.key(named: "digest")
          writer.string(digest.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
        }
        writer.endObject()
      }
      #expect(inOnePiece == piecemeal)
    }
  }

  @Test("indented, with an object kept on one line")
  func indented() {
    let expected = """
      {
        "a": 1,
        "list": [
          {"x": "y", "z": true},
          null
        ],
        "empty": [],
        "none": {}
      }
      """
    #expect(written(.indented, sample) == expected)
  }

  @Test("integers of 64 bits and sums beyond 2^53 are exact")
  func integers() {
    #expect(written { $0.integer(Int64.min) } == "-9223372036854775808")
    #expect(written { $0.integer(Int64(1 << 53) + 1) } == "9007199254740993")
    #expect(written { $0.number(JSONNumber(Int64.max)) } == "9223372036854775807")
    #expect(JSONNumber(Double.infinity) == nil)
    #expect(JSONNumber(0.25)?.text == "0.25")
  }

  @Test(
    "P71: everything that could drive a terminal or break a line is escaped",
    arguments: [
      ("\"\\/", #""\"\\/""#), ("\u{8}\u{C}\n\r\t", #""\b\f\n\r\t""#), ("\0\u{1B}\u{7F}", #""\u0000\u001b\u007f""#),
      ("\u{80}\u{9F}\u{A0}", "\"\\u0080\\u009f\u{A0}\""),
      ("a\u{2028}b\u{2029}c\u{2030}", "\"a\\u2028b\\u2029c\u{2030}\""),
      ("é🚇e\u{301}", "\"é🚇e\u{301}\""), ("a\r\nb", #""a\r\nb""#), ("", "\"\""),
    ])
  func escapes(text: String, json: String) {
    #expect(Array(written { $0.string(text) }.utf8) == Array(json.utf8))
  }

  @Test("what is taken piece by piece is the whole document")
  func streaming() {
    var writer = JSONWriter(layout: .indented)
    var pieces: [UInt8] = []
    writer.beginArray()
    for number in 0..<3 {
      writer.integer(number)
      pieces += writer.takeBytes()
    }
    writer.endArray()
    writer.newline()
    pieces += writer.takeBytes()
    #expect(String(decoding: pieces, as: UTF8.self) == "[\n  0,\n  1,\n  2\n]\n")
    #expect(writer.bytes.isEmpty)
  }

  @Test("random values come back as they went", arguments: [JSONWriter.Layout.compact, .indented])
  func roundTrip(layout: JSONWriter.Layout) throws {
    var random = SplitMix(seed: 8)
    for _ in 0..<500 {
      let value = randomValue(&random, depth: 0)
      var writer = JSONWriter(layout: layout)
      writer.value(value)
      #expect(try JSONValue(parsing: writer.bytes) == value)
    }
  }

  private func randomValue(_ random: inout SplitMix, depth: Int) -> JSONValue {
    switch random.below(depth > 4 ? 5 : 7) {
    case 0: return .null
    case 1: return .bool(random.below(2) == 0)
    case 2: return .number(JSONNumber(Int64(bitPattern: random.next())))
    case 3: return JSONNumber(Double(bitPattern: random.next())).map { .number($0) } ?? .null
    case 4: return .string(randomText(&random))
    case 5: return .array((0..<random.below(5)).map { _ in randomValue(&random, depth: depth + 1) })
    default:
      return .object(
        (0..<random.below(5)).map { _ in
          JSONValue.Member(randomText(&random), randomValue(&random, depth: depth + 1))
        })
    }
  }

  private func randomText(_ random: inout SplitMix) -> String {
    let ranges: [ClosedRange<UInt32>] = [0...0x7F, 0x80...0x2030, 0xE000...0xFFFF, 0x10000...0x10FFFF]
    var text = String.UnicodeScalarView()
    for _ in 0..<random.below(12) {
      if let scalar = Unicode.Scalar(UInt32.random(in: ranges[random.below(4)], using: &random)) { text.append(scalar) }
    }
    return String(text)
  }
}
