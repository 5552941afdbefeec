// The commands that ask about one place in a bucket: their words, and what they send and print.

import MirrorPlan
import StorageCore
import Testing
import TransferModel

@testable import MirrorCLI

@Suite struct StorageCommandTests {
  private func parse(_ line: String) throws -> Invocation {
    try Program.mirror(version: "1.2.3").parse(line.split(separator: " ").map(String.init), environment: { _ in nil })
  }

  private func problem(_ line: String) -> String? {
    do {
      _ = try parse(line)
      return nil
    } catch {
      return (error as? UsageError)?.message
    }
  }

  private func question(_ reference: String, _ change: (inout QuestionOptions) -> Void = { _ in }) -> QuestionOptions {
    var options = QuestionOptions(reference: reference)
    change(&options)
    return options
  }

  @Test func `every option reaches its place`() throws {
    let asked = question("a/b") {
      $0.bucket = "my-app"
      $0.api = .gcs
      $0.emulator = Origin(scheme: .http, host: "127.0.0.1", port: 9199)
      $0.retryBudget = .seconds(5)
    }
    let common = "--bucket my-app --api gcs --emulator 127.0.0.1:9199 --retry-for 5s"
    #expect(try parse("stat a/b --json \(common)") == .stat(StatOptions(question: asked, writesJSON: true)))
    #expect(try parse("url a/b \(common)") == .url(URLOptions(question: asked)))
    #expect(
      try parse("ls -lr --json a/b \(common)")
        == .list(ListOptions(question: asked, isLong: true, isRecursive: true, writesJSON: true)))
    #expect(
      try parse("set-metadata a/b contentType=x/y k=a=b --unset tmp \(common) --unset cacheControl last=")
        == .setMetadata(
          SetMetadataOptions(
            question: asked,
            values: [
              MetadataValue(key: .field("contentType"), value: "x/y"), MetadataValue(key: .custom("k"), value: "a=b"),
              MetadataValue(key: .custom("last"), value: ""),
            ],
            unset: [.custom("tmp"), .field("cacheControl")])))
  }

  @Test func `cat is get to standard output`() throws {
    #expect(try parse("cat gs://b/o --max-size 1KiB") == parse("get gs://b/o - --max-size 1KiB"))
    #expect(problem("cat gs://b/o -") == "unexpected argument '-'")
  }

  @Test(
    "what is no change is refused",
    arguments: [
      ("set-metadata gs://b/o novalue", "KEY=VALUE: 'novalue' is not KEY=VALUE"),
      ("set-metadata gs://b/o =v", "KEY=VALUE: '=v' is not KEY=VALUE"),
      ("set-metadata gs://b/o --unset a=b", "--unset: 'a=b' has a value; name the key alone"),
      ("set-metadata", "REF is missing"), ("stat", "REF is missing"), ("ls a b", "unexpected argument 'b'"),
    ])
  func problems(line: String, message: String) {
    #expect(problem(line) == message)
  }

  @Test(
    "keys are the services' fields, or the object's own",
    arguments: [
      ("contentType", MetadataKey.field("contentType")), ("ContentType", .custom("ContentType")),
      ("metadata.contentType", .custom("contentType")), ("metadata.", .custom("metadata.")),
      ("owner", .custom("owner")),
    ])
  func keys(text: String, key: MetadataKey) {
    #expect(MetadataKey(text) == key)
  }

  @Test func `changes are one JSON object, and the last word on a key counts`() {
    let body = SetMetadataCommand.body(
      setting: [
        MetadataValue(key: .custom("b"), value: "1"), MetadataValue(key: .custom("b"), value: "2"),
        MetadataValue(key: .field("contentType"), value: "x/y"), MetadataValue(key: .custom("a"), value: "gone"),
      ],
      unsetting: [.field("cacheControl"), .custom("a")])
    #expect(
      body.map { String(decoding: $0, as: UTF8.self) }
        == #"{"cacheControl":null,"contentType":"x/y","metadata":{"a":null,"b":"2"}}"#)
    #expect(SetMetadataCommand.body(setting: [], unsetting: []) == nil)
  }

  @Test func `metadata is printed without its tokens, and with nothing that moves a cursor`() throws {
    let json = #"""
      {"bucket":"b","name":"o\u001b[2J","size":"1536","contentType":"text/plain","updated":"2024-01-02T03:04:05Z",
       "metadata":{"k":"line\nbreak"},"downloadTokens":"secret-token"}
      """#
    let text = MetadataText(
      try ObjectMetadata(parsing: Array(json.utf8)), of: StorageAddress(bucket: "x", object: ObjectName("y")))
    #expect(
      text.lines == """
        gs://b/o\\u{1B}[2J
          size         1536 (1.5 KiB)
          contentType  text/plain
          updated      2024-01-02T03:04:05.000Z
          metadata.k   line\\nbreak

        """)
    #expect(
      try JSONValue(parsing: Array(text.json.utf8))
        == JSONValue(
          parsing: Array(
            #"""
            {"bucket":"b","name":"o\u001b[2J","size":1536,"contentType":"text/plain","updated":"2024-01-02T03:04:05.000Z",
             "metadata":{"k":"line\nbreak"}}
            """#.utf8)))
  }

  @Test func `a list shows names, or facts in columns, or JSON`() {
    let item = ObjectListPage.Item(
      name: ObjectName("a/b"),
      version: ObjectVersion(generation: 7, lastModified: Timestamp(seconds: 1_704_164_645), size: 1_536))
    let short = ListLine(bucket: "b", isLong: false, writesJSON: false)
    #expect(short.object(item) == "gs://b/a/b\n")
    #expect(short.folder(ObjectName("a/")) == "gs://b/a/\n")
    let long = ListLine(bucket: "b", isLong: true, writesJSON: false)
    #expect(long.object(item) == "          1536  2024-01-02T03:04:05Z  gs://b/a/b\n")
    #expect(long.folder(ObjectName("a/")) == "                                      gs://b/a/\n")
    #expect(long.object(.init(name: ObjectName("c"))) == "             ?  ?                     gs://b/c\n")
    let json = ListLine(bucket: "b", isLong: true, writesJSON: true)
    #expect(
      json.object(item)
        == #"{"kind":"object","bucket":"b","name":"a/b","size":1536,"generation":"7","updated":"2024-01-02T03:04:05.000Z"}"#
        + "\n")
    #expect(json.folder(ObjectName("a/")) == #"{"kind":"folder","bucket":"b","name":"a/"}"# + "\n")
  }
}
