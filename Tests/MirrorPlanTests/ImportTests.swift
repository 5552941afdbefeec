// Lists of other programs as manifests: what each line becomes, and what is said of the rest.

import Testing
import TransferModel

@testable import MirrorPlan

@Suite("mirror import: lists")
struct ImportTests {
  private static func read(
    _ list: String, _ format: ImportFormat, layout: ImportLayout? = nil
  ) -> ImportedManifest {
    ImportedManifest(list: list, named: "list", format: format, layout: layout, root: ".")
  }

  /// The items' lines.
  private static func items(_ imported: ImportedManifest) -> [String] {
    (imported.text ?? "").split(separator: "\n").filter { $0.hasPrefix("  - ") }.map { String($0.dropFirst(4)) }
  }

  // MARK: What it is

  @Test(
    "what a list is shows in its text, and for CSV in its name",
    arguments: [
      ("", "l", .urls), ("https://a.example/x,y\n", "l.txt", .urls), ("https://a.example/x,y\n", "l.CSV", .csv),
      ("https://a.example/x\n out=y\n", "l", .aria2), ("https://a.example/x\thttps://b.example/x", "l", .aria2),
      ("# a\n\nTsvHttpData-1.0\nhttps://a.example/x\t1\n", "l.csv", .tsv),
      ("\u{FEFF}TsvHttpData-1.0\r\nhttps://a.example/x\t1\r\n", "l", .tsv),
    ] as [(String, String, ImportFormat)])
  func detected(list: String, name: String, format: ImportFormat) {
    #expect(ImportFormat.of(ImportLine.all(of: list), named: name) == format)
  }

  // MARK: URLs

  @Test("URLs: one a line, with blanks, comments, a byte order mark and CRLF")
  func urls() {
    let list = "\u{FEFF}# mine\r\n\r\n  https://a.example/x/a%20b.tgz?t=$1 \r\ngs://b/i/z \"q\".png\n"
    let imported = Self.read(list, .urls)
    #expect(
      Self.items(imported) == [
        #"{ref: "https://a.example/x/a%20b.tgz?t=$$1", to: "a b.tgz"}"#,
        #"{ref: "gs://b/i/z \"q\".png", to: "z \"q\".png"}"#,
      ])
    #expect(imported.itemCount == 2 && imported.diagnostics.isEmpty)
  }

  @Test(
    "names come from the URL, decoded once; or host and path",
    arguments: [
      ("https://a.example:8080/x/y.z", "y.z", "a.example/x/y.z"),
      ("https://a.example/o/i%2Fs.jpg?alt=media", "i/s.jpg", "a.example/o/i/s.jpg"),
      ("https://a.example/%FF", nil, nil), ("gs://b/i/s.jpg", "s.jpg", "b/i/s.jpg"),
      ("https://firebasestorage.googleapis.com/v0/b/b.appspot.com/o/i%2Fs.jpg", "s.jpg", "b.appspot.com/i/s.jpg"),
    ] as [(String, String?, String?)])
  func names(url: String, name: String?, path: String?) throws {
    let reference = try Reference(parsing: url, storage: StorageSettings())
    #expect(ImportLayout.name.destination(of: reference) == name)
    #expect(ImportLayout.path.destination(of: reference) == path)
  }

  @Test(
    "a line that cannot be an item is an error at its place, and there is no manifest",
    arguments: [
      ("images/a.png", "this is no URL"), ("ftp://a.example/x", "`ftp://` is not fetched"),
      ("https://a.example/", "no name at its end"), ("https://a.example/x/%2E%2E", "has the component `..`"),
      ("https://a.example/.mirror", "keeps for itself"), ("https://", "no host"), ("gs://b", "names a bucket"),
      ("gs://b/i/", "names a folder"), ("https://a.example/%FF", "no name"),
    ])
  func wrong(line: String, message: String) throws {
    let imported = Self.read("https://a.example/good\n\(line)\n", .urls)
    #expect(imported.text == nil)
    let diagnostic = try #require(imported.diagnostics.first)
    #expect(diagnostic.severity == .error && diagnostic.mark.line == 2)
    #expect(diagnostic.message.contains(message), "\(diagnostic.message)")
  }

  @Test("what YAML does not take as it is, is escaped")
  func escaped() {
    let imported = Self.read("https://a.example/x?\u{FFFE}\u{85}\u{2028}\\\u{1F600},b\tc\u{1}\n", .csv)
    #expect(
      Self.items(imported) == [
        #"{ref: "https://a.example/x?\U0000fffe\U00000085\U00002028\\\#u{1F600}", to: "b\U00000009c\U00000001"}"#
      ])
  }

  @Test("two files of one name are an error that names the other line; by path they are two")
  func twins() {
    let list = "https://a.example/x\nhttps://b.example/x\n"
    let imported = Self.read(list, .urls)
    #expect(imported.text == nil && imported.diagnostics.map(\.message) == ["x is the destination of line 1 as well"])
    #expect(Self.read(list, .urls, layout: .path).itemCount == 2)
  }

  @Test("an empty list is an error", arguments: ["", "\n\n", "# nothing\n"])
  func empty(list: String) { #expect(Self.read(list, .urls).text == nil) }

  // MARK: CSV

  @Test(
    "CSV: fields of RFC 4180, blanks around them left out",
    arguments: [
      ("a,b", ["a", "b"]), (" a , b ", ["a", "b"]), ("a", ["a"]), ("a,", ["a", ""]), ("", [""]),
      (#""a,b","c ""d"" e""#, ["a,b", #"c "d" e"#]), (#""a" , " b ""#, ["a", " b "]), (#""","#, ["", ""]),
      (#""a"#, nil), (#""a"b,c"#, nil), (#"a"b,c"#, [#"a"b"#, "c"]),
    ] as [(String, [String]?)])
  func csvFields(line: String, fields: [String]?) { #expect(ImportReader.csvFields(line) == fields) }

  @Test("CSV: the second field is the name, an empty one is left to the URL, a third is a warning")
  func csv() {
    let imported = Self.read(
      "\"https://a.example/a,b\", d/e.txt\nhttps://a.example/f,\nhttps://a.example/g\nhttps://a.example/h,i,j\n", .csv)
    #expect(
      Self.items(imported) == [
        #"{ref: "https://a.example/a,b", to: "d/e.txt"}"#, #"{ref: "https://a.example/f", to: "f"}"#,
        #"{ref: "https://a.example/g", to: "g"}"#, #"{ref: "https://a.example/h", to: "i"}"#,
      ])
    #expect(imported.diagnostics.map(\.severity) == [.warning] && imported.diagnostics[0].mark.line == 4)
  }

  // MARK: aria2

  @Test("aria2: mirrors, names, folders below the root and checksums")
  func aria2() {
    let sum = String(repeating: "ab", count: 32)
    let list = """
      https://a.example/x.tgz\thttps://b.example/x.tgz
        out=tools/x.tgz
        dir=./d/
        checksum=SHA-256=\(sum)
      # another one
      https://a.example/y
      \tchecksum=md5=\(sum.prefix(32))
      """
    let imported = Self.read(list, .aria2)
    #expect(
      Self.items(imported) == [
        #"{ref: ["https://a.example/x.tgz", "https://b.example/x.tgz"], to: "d/tools/x.tgz", sha256: "\#(sum)"}"#,
        #"{ref: "https://a.example/y", to: "y", md5: "\#(sum.prefix(32))"}"#,
      ])
    #expect(imported.diagnostics.isEmpty)
  }

  @Test(
    "aria2: an option that has no counterpart is a warning, never silence; and no secret is shown",
    arguments: [
      ("split=5", "`split` is left out", false), ("header=Authorization: Bearer x", "`auth`", true),
      ("http-passwd=x", "`auth`", true), ("dir=/data", "`dir` is left out", false),
      ("checksum=sha-1=00", "sha-1 checksum is left out", false),
    ])
  func aria2Warnings(option: String, message: String, isSecret: Bool) throws {
    let imported = Self.read("https://a.example/x\n \(option)\n", .aria2)
    #expect(imported.itemCount == 1 && imported.text != nil)
    let warning = try #require(imported.diagnostics.first)
    #expect(warning.severity == .warning && warning.mark == SourceMark(line: 2, column: 2))
    #expect(warning.message.contains(message) && warning.isSecret == isSecret)
  }

  @Test("aria2: a broken option is an error", arguments: ["out", "checksum=abc", "checksum=md5=xyz"])
  func aria2Errors(option: String) {
    let imported = Self.read("https://a.example/x\n \(option)\n", .aria2)
    #expect(imported.text == nil && imported.diagnostics.first?.mark.line == 2)
  }

  // MARK: Storage Transfer Service

  @Test("TSV: sizes and MD5, named by host and path as the service does it")
  func tsv() {
    let list = "TsvHttpData-1.0\nhttps://a.example/b/c\t1357\twHENa08V36iPYAsOa2JAdw==\nhttps://a.example/d\t\t\n"
    #expect(
      Self.items(Self.read(list, .tsv)) == [
        #"{ref: "https://a.example/b/c", to: "a.example/b/c", size: 1357, md5: "c0710d6b4f15dfa88f600b0e6b624077"}"#,
        #"{ref: "https://a.example/d", to: "a.example/d"}"#,
      ])
  }

  @Test(
    "TSV: a field that is none is an error",
    arguments: ["https://a.example/b\t-1", "https://a.example/b\tx", "https://a.example/b\t1\tabc"])
  func tsvErrors(line: String) {
    #expect(Self.read("TsvHttpData-1.0\n\(line)\n", .tsv).text == nil)
    #expect(Self.read("https://a.example/b\t1\n", .tsv).diagnostics.first?.message.contains("TsvHttpData") == true)
  }
}
