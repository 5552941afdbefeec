// Whole documents: manifests, JSON of the services, checksum lists, gzip streams.

import CloudStorage
import LocalFiles
import ManifestYAML
import MirrorPlan
import TestSupport
import Testing
import TransferModel

@Suite struct DocumentFuzzTests {
  @Test func `a manifest is read, or every finding has a place and a sentence`() throws {
    var corpus = [
      "version: 1\nroot: out\nitems:\n  - {ref: gs://b/a, to: a, sha256: \"\(String(repeating: "0", count: 64))\"}\n",
      "version: 1\nroot: &r out\nx-a: &a {ref: gs://b/a}\nitems:\n  - {<<: *a, to: a}\ntrees:\n  - {ref: gs://b/, to: t/}\n",
      "version: 1\nroot: ${HOME:-x}\nlimits: {jobs: 4, rate: 1MiB}\nitems: []\n",
    ].map { Array($0.utf8) }
    for name in ["everything.yaml", "quickstart.yaml"] {
      corpus.append(try TemporaryDirectory.bytes(ofFile: "\(BuiltProducts.packageFolder)/manifests/\(name)"))
    }
    try Fuzzing.run("manifest", corpus: corpus, count: 2_000) { bytes in
      let file = ManifestFile.load(bytes: bytes, name: "m.yaml", environment: { _ in nil }, foldsCase: false)
      try demand(file.manifest != nil || !file.diagnostics.isEmpty, "neither a manifest nor a reason")
      for finding in file.diagnostics { try demand(!finding.message.isEmpty, "no message") }
      let renderer = DiagnosticRenderer(name: file.name, source: bytes)
      _ = renderer.text(of: file.diagnostics)
      try demand((try? JSONValue(parsing: renderer.json(of: file.diagnostics))) != nil, "findings that are no JSON")
    }
  }

  static let pages = [
    #"{"kind":"storage#objects","nextPageToken":"abc","prefixes":["a/","b/"],"items":[{"name":"a/b","bucket":"b","#
      + #""generation":"1700000000000000","metageneration":"1","size":"12","md5Hash":"XrY7u+Ae7tCTyyK7j1rNww==","#
      + #""crc32c":"n03x6A==","etag":"CAE=","updated":"2024-01-02T03:04:05.678Z","contentEncoding":"gzip"}]}"#,
    #"{"items":[{"name":"x\u00e9\ud83d\ude00","bucket":"b"}],"prefixes":[]}"#,
    #"{"error":{"code":404,"message":"no"}}"#, "{}",
    #"{"metadata":{"k":"v"},"name":"n","bucket":"b","timeCreated":"2024-01-02T03:04:05Z","downloadTokens":"a,b","size":-1}"#,
  ]

  @Test func `a page of a list is read, or refused with a sentence`() throws {
    try Fuzzing.run("list-page", texts: Self.pages) { text in
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
  }

  @Test func `metadata is read, or refused with a sentence`() throws {
    try Fuzzing.run("metadata", texts: Self.pages) { text in
      do throws(TransferFailure) {
        _ = try ObjectMetadata(parsing: Array(text.utf8))
      } catch {
        try demand(!error.message.isEmpty, "no message")
      }
    }
  }

  @Test func `JSON is read as it was written, or refused with a place`() throws {
    let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
    try Fuzzing.run("json", corpus: (Self.pages + [deep, "[1,-0.5e+3,true,null,\"\\n\"]"]).map { Array($0.utf8) }) {
      bytes in
      do throws(JSONError) {
        _ = try JSONValue(parsing: bytes)
      } catch {
        try demand(!error.message.isEmpty && (0...bytes.count).contains(error.offset), "no place: \(error)")
      }
    }
  }

  @Test func `a checksum document gives a digest, or a reason`() throws {
    let hash = String(repeating: "0123456789abcdef", count: 4)
    let texts = [
      "\(hash)  x.tgz\n\(hash) *y.tgz\r\n", "SHA256 (x.tgz) = \(hash)\n", hash, "# comment\n\\\(hash)  a\\nb\n",
      "\(hash.uppercased())  ./dir/x.tgz",
    ]
    try Fuzzing.run("checksums", texts: texts) { text in
      do throws(ChecksumDocument.Violation) {
        _ = try ChecksumDocument(parsing: text).digest(for: "x.tgz")
      } catch {
        try demand(!error.message.isEmpty, "no message")
      }
    }
  }

  @Test func `a gzip stream is decoded, or its fault is named, whatever the pieces`() throws {
    let content = Array(String(repeating: "hello hello world ", count: 200).utf8)
    let packed = try ChildProcess.run("gzip", ["-n", "-c"], input: content).standardOutput
    let decoder = try GzipDecoder(outputSize: 512)
    try Fuzzing.run("gzip", corpus: [packed, packed + packed, packed + [0, 0, 0], []]) { bytes in
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
  }
}
