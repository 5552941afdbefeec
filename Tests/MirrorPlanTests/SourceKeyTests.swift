// Names of references without secrets, and names on terminals.

import MirrorPlan
import Testing
import TransferModel

@Suite("Source keys")
struct SourceKeyTests {
  private func key(_ text: String) -> SourceKey { SourceKey(.web(Facts.url(text))) }

  @Test("a renewed signature is no new object")
  func signatures() {
    let v4 = "https://storage.googleapis.com/b/o?X-Goog-Algorithm=A&X-Goog-Date="
    #expect(key(v4 + "1&X-Goog-Signature=aa") == key(v4 + "2&X-Goog-Signature=bb"))
    #expect(key("https://h.example/o?sig=1&se=2") == key("https://h.example/o?sig=3&se=4"))
    #expect(key("https://u:p@h.example/o") == key("https://u:q@h.example/o"))
  }

  @Test("other parameters tell objects apart")
  func parameters() {
    #expect(key("https://h.example/o?id=7") != key("https://h.example/o?id=8"))
    #expect(key("https://h.example/o?id=7&token=a") == key("https://h.example/o?id=7&token=b"))
    #expect(key("https://h.example/o") != key("https://h.example/p"))
    #expect(key("https://h.example/o") != key("http://h.example/o"))
  }

  @Test("W16: no value of a parameter is in a key")
  func secrets() {
    let text = key("https://me:pass@h.example/o?apikey=s3cret&X-Goog-Signature=deadbeef").text
    for secret in ["pass", "s3cret", "deadbeef"] { #expect(!text.contains(secret)) }
    #expect(text.contains("h.example/o"))
  }

  @Test("P70: an object's key is its name, byte for byte")
  func objects() {
    func key(_ name: String, endpoint: Origin? = nil) -> SourceKey {
      SourceKey(.storage(StorageAddress(bucket: "b", object: ObjectName(name), endpoint: endpoint)))
    }
    #expect(key("a/b").text == "gs://b/a/b")
    #expect(key("e\u{301}") != key("\u{E9}"))
    let emulator = Origin(scheme: .http, host: "127.0.0.1", port: 9199)
    #expect(key("a", endpoint: emulator).text == "gs+http://127.0.0.1:9199/b/a")
  }

  @Test(
    "P71: a name cannot drive a terminal or break a line",
    arguments: [
      ("plain name.txt", "plain name.txt"), ("a\nb", "a\\nb"), ("a\r\tb", "a\\r\\tb"), ("\u{1B}[2J", "\\u{1B}[2J"),
      ("a\\b", "a\\\\b"), ("\u{9B}1m", "\\u{9B}1m"), ("\u{202E}gpj", "\\u{202E}gpj"), ("\u{2028}", "\\u{2028}"),
      ("a\u{0}b\u{7F}", "a\\u{0}b\\u{7F}"), ("ä\u{301}日本 🎉", "ä\u{301}日本 🎉"),
    ])
  func terminal(text: String, shown: String) {
    #expect(TerminalText.escape(text).utf8.elementsEqual(shown.utf8))
  }

  @Test("P70: two Unicode forms of a name are twins, not one")
  func twins() {
    let composed = ObjectName("caf\u{E9}")
    #expect(composed.isNormalisationTwin(of: ObjectName("cafe\u{301}")))
    #expect(!composed.isNormalisationTwin(of: composed))
    #expect(!composed.isNormalisationTwin(of: ObjectName("cafe")))
  }

  @Test("ids are FNV-1a, so that they are the same in every run")
  func fingerprints() {
    #expect(EntryFingerprint(of: "").hex == "cbf29ce484222325")
    #expect(EntryFingerprint(of: "a").hex == "af63dc4c8601ec8c")
    #expect(EntryFingerprint(of: "foobar").hex == "85944171f73967e8")
  }
}
