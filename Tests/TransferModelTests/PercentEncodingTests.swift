// Names in request URLs: conformance group D.

import Testing
import TransferModel

@Suite("Percent-encoding")
struct PercentEncodingTests {
  @Test(
    "is escaped as the SDK does it",
    arguments: [
      ("D01", "-._~!$'()*,=:@&+;", "-._~!$'()*,=:@%26%2B%3B"),
      ("D02", "hello&+@_ .txt", "hello%26%2B@_%20.txt"),
      ("D03", "a/b#c?d%e[f]g", "a%2Fb%23c%3Fd%25e%5Bf%5Dg"),
      ("D04", "\u{E9}", "%C3%A9"),
      ("D05", "e\u{301}", "e%CC%81"),
      ("D06", "🚇", "%F0%9F%9A%87"),
      ("D07", "日本/東京.txt", "%E6%97%A5%E6%9C%AC%2F%E6%9D%B1%E4%BA%AC.txt"),
      ("D08", "100%.txt", "100%25.txt"),
      ("D09", "\"<>\\^`{|}", "%22%3C%3E%5C%5E%60%7B%7C%7D"),
      ("D10", "\t\n\u{7F}", "%09%0A%7F"),
      ("D13", "bucket#/o/other", "bucket%23%2Fo%2Fother"),
      ("A20", "a\r\nb", "a%0D%0Ab"),
      ("P83", "dir/file", "dir%2Ffile"),
      ("empty", "", ""),
    ])
  func firebaseForm(id: String, raw: String, escaped: String) {
    #expect(PercentEncoding.encode(raw, as: .firebase) == escaped)
    #expect(PercentEncoding.decode(escaped).map { Array($0.utf8) } == Array(raw.utf8))
  }

  @Test("D11: the strict form leaves only unreserved characters")
  func strictForm() {
    #expect(
      PercentEncoding.encode("-._~!$'()*,=:@&+;") == "-._~%21%24%27%28%29%2A%2C%3D%3A%40%26%2B%3B")
  }

  @Test(
    "D14 D15: a query value holds nothing that a form decoder reads differently",
    arguments: [
      "a+b/c==", "+foo &=#?/\u{E9}\"'/",
    ])
  func queryValue(raw: String) {
    let escaped = PercentEncoding.encode(raw)
    #expect(escaped.utf8.allSatisfy { !"+&=# ".utf8.contains($0) })
    #expect(PercentEncoding.decode(escaped) == raw)
  }

  @Test("D12: every byte string comes back", arguments: [PercentEncoding.Form.strict, .firebase])
  func roundTrip(form: PercentEncoding.Form) {
    var random = SplitMix(seed: 12)
    for _ in 0..<2_000 {
      let bytes = random.bytes(upTo: 40)
      let escaped = PercentEncoding.encode(bytes, as: form)
      #expect(PercentEncoding.decodeBytes(escaped.utf8) == bytes)
    }
  }

  @Test(
    "B17 B18: broken escapes and broken UTF-8 are refused",
    arguments: ["%", "%4", "%zz", "a%2", "%G0", "%0G", "%FF", "%C3", "%ED%A0%80", "%C0%AF"])
  func broken(text: String) {
    #expect(PercentEncoding.decode(text) == nil)
  }

  @Test("B13 B16: decoding happens once and leaves + alone")
  func once() {
    #expect(PercentEncoding.decode("a%252Fb") == "a%2Fb")
    #expect(PercentEncoding.decode("a+b%2b%2B") == "a+b++")
  }
}
