import Testing
import TransferModel

/// The fields of a response head, kept as bytes until they are asked for.
@Suite struct ReceivedFieldsTests {
  private func fields(_ lines: [String]) -> HTTPFields {
    var received = ReceivedFields()
    append(lines, to: &received)
    return HTTPFields(received)
  }

  private func append(_ lines: [String], to received: inout ReceivedFields) {
    for line in lines { Array(line.utf8).withUnsafeBytes { received.append($0) } }
  }

  @Test func `names are found in any case, and values lose the blanks around them`() {
    let fields = fields(["Content-Length: \t12 \r\n", "ETAG:\"a\"\n", "X-Empty:\r\n"])
    #expect(fields["content-length"] == "12")
    #expect(fields["ETag"] == "\"a\"")
    #expect(fields["X-Empty"] == nil)
    #expect(fields["ETa"] == nil)
    #expect(fields.all.map(\.name) == ["Content-Length", "ETAG", "X-Empty"])
    #expect(fields == HTTPFields([.init("Content-Length", "12"), .init("ETAG", "\"a\""), .init("X-Empty", "")]))
  }

  @Test func `fields of one name come in order, empty ones left out`() {
    let fields = fields(["x-goog-hash: crc32c=a\r\n", "X-Goog-Hash:\r\n", "A: b\r\n", "X-Goog-Hash: md5=b\r\n"])
    #expect(fields.values("x-goog-hash") == ["crc32c=a", "md5=b"])
    #expect(fields["X-Goog-Hash"] == "crc32c=a")
    #expect(fields.values("B").isEmpty)
  }

  @Test func `a folded line continues the value before it, also a second time`() {
    let fields = fields([" lost\r\n", "A: one\r\n", "\t two \r\n", "  three\r\n", "B: four\r\n"])
    #expect(fields["A"] == "one two three")
    #expect(fields["B"] == "four")
    #expect(fields.all.count == 2)
  }

  @Test func `a line without a name is left out`() {
    let fields = fields(["no colon\r\n", ": x\r\n", "Blank : x\r\n", "\r\n", "A: b\r\n"])
    #expect(fields.all.map(\.name) == ["A"])
  }

  @Test func `bytes that are not UTF-8 are repaired`() {
    var received = ReceivedFields()
    [UInt8]([0x41, 0x3A, 0xFF, 0x62]).withUnsafeBytes { received.append($0) }
    #expect(HTTPFields(received)["A"] == "\u{FFFD}b")
  }

  @Test func `what was handed out stays when the next head is read`() {
    var received = ReceivedFields()
    append(["A: one\r\n"], to: &received)
    let first = HTTPFields(received)
    received.removeAll()
    append(["B: two\r\n"], to: &received)
    #expect(first["A"] == "one")
    #expect(first["B"] == nil)
    #expect(HTTPFields(received)["A"] == nil)
  }

  @Test func `a field may be added to those of a response`() {
    var fields = fields(["A: one\r\n"])
    fields.append("B", "two")
    #expect(fields.all == [.init("A", "one"), .init("B", "two")])
    #expect(fields["a"] == "one")
    fields.removeAll()
    #expect(fields.all.isEmpty)
    #expect(fields["A"] == nil)
  }
}
