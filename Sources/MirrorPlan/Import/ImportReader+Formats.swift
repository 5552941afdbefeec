// The four formats, line by line.

import TransferModel

extension ImportReader {
  mutating func addURL(_ line: ImportLine) {
    guard let reference = reference(line.text, at: line.mark) else { return }
    add(ImportedItem(line.mark, [line.text], reference))
  }

  // MARK: CSV

  /// Fields of RFC 4180, of which the second is the name; blanks around a field are no part of it.
  mutating func addCSV(_ line: ImportLine) {
    guard let fields = Self.csvFields(line.text) else {
      return error(
        line.mark, "the quotation marks are not those of CSV",
        hint: "a field in quotation marks ends on its line, and a mark within it is doubled")
    }
    guard let reference = reference(fields[0], at: line.mark) else { return }
    var item = ImportedItem(line.mark, [fields[0]], reference)
    if fields.count > 1, !fields[1].isEmpty { item.name = fields[1] }
    if fields.count > 2 { warn(line.mark, "what comes after the name is left out") }
    add(item)
  }

  /// nil when a quotation mark is not closed, or something stands behind it.
  static func csvFields(_ line: String) -> [String]? {
    var fields: [String] = []
    var rest = line.utf8[...]
    while true {
      rest = rest.drop { ASCII.isBlank($0) }
      var field: [UInt8] = []
      if rest.first == UInt8(ascii: "\"") {
        guard let quoted = takeQuoted(&rest) else { return nil }
        field = quoted
        rest = rest.drop { ASCII.isBlank($0) }
        guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return nil }
      } else {
        field = Array(rest.prefix { $0 != UInt8(ascii: ",") })
        rest = rest.dropFirst(field.count)
        while let last = field.last, ASCII.isBlank(last) { field.removeLast() }
      }
      fields.append(String(decoding: field, as: UTF8.self))
      guard !rest.isEmpty else { return fields }
      rest = rest.dropFirst()
    }
  }

  /// A field in quotation marks, in which a doubled one stands for itself.
  private static func takeQuoted(_ rest: inout Substring.UTF8View) -> [UInt8]? {
    let mark = UInt8(ascii: "\"")
    var field: [UInt8] = []
    rest = rest.dropFirst()
    while let byte = rest.first {
      rest = rest.dropFirst()
      if byte != mark {
        field.append(byte)
      } else if rest.first == mark {
        field.append(mark)
        rest = rest.dropFirst()
      } else {
        return field
      }
    }
    return nil
  }

  // MARK: aria2

  mutating func readAria2(_ lines: [ImportLine]) {
    var item: ImportedItem?
    for line in lines {
      guard line.isIndented else {
        if let item { add(item) }
        let texts = Self.fields(line.text).filter { !$0.isEmpty }
        let references = texts.compactMap { reference($0, at: line.mark) }
        item = references.first.map { ImportedItem(line.mark, texts, $0) }
        continue
      }
      setAria2Option(line, of: &item)
    }
    if let item { add(item) }
  }

  private mutating func setAria2Option(_ line: ImportLine, of item: inout ImportedItem?) {
    guard let (option, value) = Self.assignment(line.text) else {
      return error(
        line.mark, "this is neither a URL nor `option=value`", hint: "options of a URL are indented below it")
    }
    switch option {
    case "out": item?.name = value
    case "dir": setFolder(value, line.mark, of: &item)
    case "checksum": setChecksum(value, line.mark, of: &item)
    case "header", "http-user", "http-passwd", "load-cookies", "certificate", "private-key":
      var warning = Diagnostic(
        .warning, at: line.mark, "`\(option)` is left out: the manifest has credentials under `auth`, by reference",
        hint: "see the README, \"Private buckets and hosts\"")
      warning.isSecret = true
      diagnostics.add(warning)
    default: warn(line.mark, "`\(option)` is left out: a manifest has nothing like it for one file")
    }
  }

  private mutating func setFolder(_ value: String, _ mark: SourceMark, of item: inout ImportedItem?) {
    var folder = value.hasPrefix("./") ? String(value.dropFirst(2)) : value
    while folder.hasSuffix("/"), folder != "/" { folder.removeLast() }
    guard !folder.hasPrefix("/"), !folder.hasPrefix("~") else {
      return warn(mark, "`dir` is left out, as it is not below the root", hint: "choose the root with --root")
    }
    item?.folder = folder == "." || folder.isEmpty ? nil : folder
  }

  /// `TYPE=DIGEST`, in hexadecimal.
  private mutating func setChecksum(_ value: String, _ mark: SourceMark, of item: inout ImportedItem?) {
    let algorithms: [String: DigestAlgorithm] = ["sha-256": .sha256, "sha-512": .sha512, "md5": .md5]
    guard let (type, digest) = Self.assignment(value) else { return error(mark, "the checksum is not `TYPE=DIGEST`") }
    guard let algorithm = algorithms[type.lowercased()] else {
      return warn(mark, "the \(type) checksum is left out: mirror knows sha-256, sha-512 and md5")
    }
    do throws(Digest.Violation) {
      item?.digests[algorithm] = try Digest(parsing: digest, as: algorithm)
    } catch {
      self.error(mark, error.message)
    }
  }

  // MARK: Storage Transfer Service

  mutating func readTSV(_ lines: [ImportLine]) {
    guard let first = lines.first, first.text == ImportFormat.tsvHeader else {
      return error(
        lines.first?.mark ?? SourceMark(line: 1, column: 1), "the first line is not `\(ImportFormat.tsvHeader)`")
    }
    for line in lines.dropFirst() { addTSV(line) }
  }

  private mutating func addTSV(_ line: ImportLine) {
    let fields = Self.fields(line.text)
    guard let reference = reference(fields[0], at: line.mark) else { return }
    var item = ImportedItem(line.mark, [fields[0]], reference)
    if fields.count > 1, !fields[1].isEmpty {
      guard let size = Int64(fields[1]), size >= 0 else {
        return error(line.mark, "the size \(fields[1]) is no number of bytes")
      }
      item.size = size
    }
    if fields.count > 2, !fields[2].isEmpty {
      guard let bytes = Base64.decode(fields[2]), let digest = Digest(.md5, bytes: bytes) else {
        return error(line.mark, "the MD5 \(fields[2]) is not 16 bytes in base64")
      }
      item.digests.md5 = digest
    }
    if fields.count > 3 { warn(line.mark, "what comes after the MD5 is left out") }
    add(item)
  }

  /// What stands between tabs.
  private static func fields(_ text: String) -> [String] {
    text.utf8.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map {
      String(ASCII.trimmed(Substring($0)))
    }
  }

  /// What stands before and behind the first `=`.
  private static func assignment(_ text: String) -> (name: String, value: String)? {
    guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    let value = Substring(text.utf8[mark...].dropFirst())
    return (String(ASCII.trimmed(text[..<mark])), String(ASCII.trimmed(value)))
  }
}
