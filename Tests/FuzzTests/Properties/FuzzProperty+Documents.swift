// Whole documents: manifests, JSON of the services, lock and plan files, checksum lists, gzip streams.

import LocalFiles
import ManifestYAML
import MirrorPlan
import StorageCore
import TransferModel

extension FuzzProperty {
  static let documents: [FuzzProperty] = [
    manifest, listPage, metadata, json, checksums, gzip, lockFile, planFile, importedList,
  ]

  /// A manifest is read, or every finding has a place and a sentence.
  private static let manifest = FuzzProperty(
    "manifest",
    texts: [
      "version: 1\nroot: out\nitems:\n  - {ref: gs://b/a, to: a, sha256: \"\(String(repeating: "0", count: 64))\"}\n",
      "version: 1\nroot: &r out\nx-a: &a {ref: gs://b/a}\nitems:\n  - {<<: *a, to: a}\ntrees:\n  - {ref: gs://b/, to: t/}\n",
      "version: 1\nroot: ${HOME:-x}\nlimits: {jobs: 4, rate: 1MiB}\nitems: []\n",
      """
      version: 1
      root: .
      storage: {bucket: b.appspot.com, api: gcs, emulator: "127.0.0.1:9199"}
      auth:
        - google: {service_account: {file: key.json}}
        - {host: "https://a.example", header: Authorization, value: {prefix: "Bearer ", env: TOKEN}}
      defaults: {max_size: 2GiB, verify: strict, content: decoded, mode: "0644", timeout: {connect: 10s, min_rate: 1KiB/s}}
      items:
        - {ref: ["https://a.example/x", "https://b.example/x"], to: x, md5: "d41d8cd98f00b204e9800998ecf8427e", size: 0}
      trees:
        - {ref: gs://b/m/, to: m/, include: ["**/*.x"], exclude: [tmp/**], prune: {enabled: true, max: 5%, trash: 7d}}
      report: {json: r.json}

      """,
    ]
  ) { text in
    let bytes = Array(text.utf8)
    let file = ManifestFile.load(bytes: bytes, name: "m.yaml", environment: { _ in nil }, foldsCase: false)
    try demand(file.manifest != nil || !file.diagnostics.isEmpty, "neither a manifest nor a reason")
    for finding in file.diagnostics { try demand(!finding.message.isEmpty, "no message") }
    let renderer = DiagnosticRenderer(name: file.name, source: bytes)
    _ = renderer.text(of: file.diagnostics)
    try demand((try? JSONValue(parsing: renderer.json(of: file.diagnostics))) != nil, "findings that are no JSON")
    try file.manifest.map { try demandSoundItems($0.items) }
  }

  /// Items are kept packed: what comes out is what the rules let in.
  private static func demandSoundItems(_ list: ItemList) throws {
    let items = Array(list)
    try demand(items.count == list.count && Array(ItemList(items)) == items, "an item is another one when packed again")
    for item in items {
      try demand((try? RelativePath(item.destination.text)) == item.destination, "a destination breaks a rule")
      for case .web(let url) in item.references {
        let read = try? HTTPURL(parsing: url.wireText)
        try demand(
          read?.origin == url.origin && read?.userInfo == url.userInfo && read?.path == url.path
            && read?.query == url.query, "a URL is not what its text says")
      }
    }
  }

  /// A list of another program becomes a manifest that says the same, or every finding has a place and a sentence.
  private static let importedList = FuzzProperty(
    "import",
    texts: [
      "https://a.example/x/a%20b.tgz?t=$1\n# c\r\n gs://b/i/z \"q\".png\n",
      "\"https://a.example/a,b\", d/e.txt\nhttps://a.example/f,\n",
      "https://a.example/x\thttps://b.example/x\n  out=o\n  dir=d/\n  checksum=md5=\(String(repeating: "a", count: 32))\n  split=5\n",
      "TsvHttpData-1.0\nhttps://a.example/b/c\t1357\twHENa08V36iPYAsOa2JAdw==\n",
    ]
  ) { text in
    for format in [nil] + ImportFormat.allCases.map(Optional.some) {
      let imported = ImportedManifest(list: text, named: "list", format: format, layout: nil, root: ".")
      for finding in imported.diagnostics {
        try demand(!finding.message.isEmpty && (finding.mark.line > 0 || isCount(finding)), "no place")
      }
      guard let manifest = imported.text else {
        try demand(!imported.diagnostics.isEmpty, "neither a manifest nor a reason")
        continue
      }
      let file = ManifestFile.load(
        bytes: Array(manifest.utf8), name: "m.yaml", environment: { _ in nil }, foldsCase: false)
      // A file where another one needs a folder is seen by the manifest's own rules.
      guard let items = file.manifest?.items else {
        try demand(
          file.diagnostics.allSatisfy {
            $0.severity == .warning || $0.message.contains("destination") || isCount($0)
          },
          "a manifest that is none: \(file.diagnostics.map(\.message))")
        continue
      }
      try demand(items.count == imported.itemCount, "\(imported.itemCount) items became \(items.count)")
      guard format == .urls else { continue }
      let said = text.utf8.split(separator: UInt8(ascii: "\n")).map { ASCII.trimmed(Substring($0)) }
      let lines = said.filter { !$0.isEmpty && $0.utf8.first != UInt8(ascii: "#") }
      for (line, item) in zip(lines, items) where !line.utf8.starts(with: [0xEF, 0xBB, 0xBF]) {
        let reference = try? Reference(parsing: String(line), storage: StorageSettings())
        try demand(item.references == [reference].compactMap { $0 }, "\(line) became \(item.references)")
      }
    }
  }

  /// Findings beyond those that are kept are counted.
  private static func isCount(_ finding: Diagnostic) -> Bool {
    finding.mark.line == 0 && finding.message.hasPrefix("and ")
  }

  private static let pages = [
    #"{"kind":"storage#objects","nextPageToken":"abc","prefixes":["a/","b/"],"items":[{"name":"a/b","bucket":"b","#
      + #""generation":"1700000000000000","metageneration":"1","size":"12","md5Hash":"XrY7u+Ae7tCTyyK7j1rNww==","#
      + #""crc32c":"n03x6A==","etag":"CAE=","updated":"2024-01-02T03:04:05.678Z","contentEncoding":"gzip"}]}"#,
    #"{"items":[{"name":"x\u00e9\ud83d\ude00","bucket":"b"}],"prefixes":[]}"#,
    #"{"error":{"code":404,"message":"no"}}"#, "{}",
    #"{"metadata":{"k":"v"},"name":"n","bucket":"b","timeCreated":"2024-01-02T03:04:05Z","downloadTokens":"a,b","size":-1}"#,
  ]

  /// A page of a list is read, or refused with a sentence.
  private static let listPage = FuzzProperty("list-page", texts: pages) { text in
    for api in [StorageAPI.google, .firebase] {
      let page: ObjectListPage
      do throws(TransferFailure) {
        page = try ObjectListPage(parsing: Array(text.utf8), api: api)
      } catch {
        try demand(!error.message.isEmpty, "no message")
        continue
      }
      for problem in page.problems { try demand(!problem.message.isEmpty, "no message") }
      for item in page.items { try demand(item.version.size.map { $0 >= 0 } ?? true, "a negative size") }
    }
  }

  /// Metadata is read, or refused with a sentence.
  private static let metadata = FuzzProperty("metadata", texts: pages) { text in
    do throws(TransferFailure) {
      _ = try ObjectMetadata(parsing: Array(text.utf8))
    } catch {
      try demand(!error.message.isEmpty, "no message")
    }
  }

  /// JSON is read as it was written, or refused with a place.
  private static let json = FuzzProperty(
    "json",
    seeds: {
      let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
      return (pages + [deep, "[1,-0.5e+3,true,null,\"\\n\"]"]).map { Array($0.utf8) }
    }
  ) { bytes in
    do throws(JSONError) {
      _ = try JSONValue(parsing: bytes)
    } catch {
      try demand(!error.message.isEmpty && (0...bytes.count).contains(error.offset), "no place: \(error)")
    }
  }

  /// A checksum document gives a digest, or a reason.
  private static let checksums = FuzzProperty(
    "checksums",
    seeds: {
      let hash = String(repeating: "0123456789abcdef", count: 4)
      return [
        "\(hash)  x.tgz\n\(hash) *y.tgz\r\n", "SHA256 (x.tgz) = \(hash)\n", hash,
        "# comment\n\\\(hash)  a\\nb\n", "\(hash.uppercased())  ./dir/x.tgz",
      ].map { Array($0.utf8) }
    }
  ) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    do throws(ChecksumDocument.Violation) {
      _ = try ChecksumDocument(parsing: text).digest(for: "x.tgz")
    } catch {
      try demand(!error.message.isEmpty, "no message")
    }
  }

  /// A gzip stream is decoded, or its fault is named, whatever the pieces.
  private static let gzip = FuzzProperty(
    "gzip", seeds: { [packed, packed + packed, packed + [0, 0, 0], []] }
  ) { bytes in
    let decoder = try GzipDecoder(outputSize: 512)
    var results: [([UInt8], GzipFault?)] = []
    for pieces in [bytes.count, 1, 7] {
      decoder.reset()
      var output: [UInt8] = []
      for start in stride(from: 0, to: bytes.count, by: max(1, pieces)) {
        let piece = Array(bytes[start..<min(bytes.count, start + max(1, pieces))])
        try piece.withUnsafeBytes { raw in
          // A few bytes may stand for very many: what comes out is bounded by the limit on sizes, which is not here.
          try decoder.feed(raw) { decoded throws(TransferFailure) in
            if output.count < 1 << 20 { output += Array(decoded) }
          }
        }
      }
      results.append((output, decoder.faultAtEnd))
    }
    try demand(results.allSatisfy { $0.1 == results[0].1 }, "the pieces decide about the fault: \(results.map(\.1))")
    if results[0].1 == nil {
      try demand(results.allSatisfy { $0.0 == results[0].0 }, "the pieces decide about the content")
    }
  }

  /// Two hundred times `hello hello world `.
  private static let packed: [UInt8] = {
    let text =
      "1f8b0800000000000203edc8b10900200c00c1551c4e2145206093f505710ab9e6792e56668db8edda39df13420821841042"
      + "08f95b0e51a0859a100e0000"
    var digits = text.utf8.compactMap { $0.hexDigit }[...]
    var bytes: [UInt8] = []
    while digits.count > 1 { bytes.append(digits.removeFirst() << 4 | digits.removeFirst()) }
    return bytes
  }()

  /// A lock file is read, or every finding has a sentence and a place; what was read is found again.
  private static let lockFile = FuzzProperty(
    "lock-file",
    texts: [
      #"{"schema": "mirror.lock/1", "entries": [{"to": "a", "ref": "gs://b/a", "generation": "9007199254740993", "size": 3,"#
        + #" "hashes": {"crc32c": "aaaaaaaa", "md5": "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"}}]}"#,
      #"{"schema": "mirror.lock/1", "entries": [{"to": "a/ü", "ref": "https://a.example/o", "etag": "\"e\"","#
        + #" "content_encoding": "gzip", "hashes": {}}, {"to": "a", "ref": "x", "hashes": {}}]}"#,
      #"{"schema": "mirror.lock/1", "entries": []}"#, #"{"schema": "mirror.lock/2"}"#,
    ]
  ) { text in
    let (lock, findings) = LockReader.read(Array(text.utf8))
    try demand(lock != nil || !findings.isEmpty, "neither a lock nor a reason")
    for finding in findings { try demand(!finding.message.isEmpty, "no message") }
    let renderer = DiagnosticRenderer(name: "m.yaml.lock", source: Array(text.utf8))
    try demand((try? JSONValue(parsing: renderer.json(of: findings))) != nil, "findings that are no JSON")
    for name in ["a", "a/ü"] { if let path = try? RelativePath(name) { _ = lock?.entry(for: path) } }
  }

  /// A plan file is read, or refused with a place that is in it.
  private static let planFile = FuzzProperty(
    "plan-file",
    texts: [
      #"{"schema": "mirror.plan/1", "version": "1", "root": "/r", "made": "2026-01-02T03:04:05Z","#
        + #" "manifest": {"path": "m.yaml", "sha256": null}, "rows": [{"to": "a", "action": "download","#
        + #" "reason": "new", "facts": {"local": {"kind": "absent"}, "remote": {"kind": "present", "generation": "7"}}},"#
        + #" {"to": "b", "action": "error", "reason": "x", "error": {"code": "unknown"}}]}"#,
      #"{"schema": "mirror.plan/1", "rows": []}"#, #"{"rows": [{}]}"#,
    ]
  ) { text in
    do throws(JSONError) {
      _ = try PlanReader.read(Array(text.utf8))
    } catch {
      try demand(!error.message.isEmpty && (0...text.utf8.count).contains(error.offset), "no place: \(error)")
    }
  }
}

extension UInt8 {
  fileprivate var hexDigit: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
