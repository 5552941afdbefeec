// What runs write for CI services and for monitoring: JUnit XML and metrics.

import Foundation
import Glibc
import StorageEmulator
import TestSupport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite struct ReportFilesTests {
  private static let settings = "report: {json: r/report.json, junit: r/mirror.xml, prometheus: r/mirror.prom}"

  private static func place(_ server: StorageEmulator, _ items: String) throws -> Workplace {
    try Workplace(server.port, settings: settings, "items: [\(items)]")
  }

  private static func junit(_ place: Workplace) throws -> JUnitElements {
    let elements = JUnitElements()
    let parser = XMLParser(data: Data(try place.folder.read("r/mirror.xml")))
    parser.delegate = elements
    try #require(parser.parse(), "line \(parser.lineNumber) is no XML")
    return elements
  }

  /// The value of a metric without further labels.
  private static func metric(_ place: Workplace, _ name: String) throws -> Double? {
    let line = try place.folder.readText("r/mirror.prom").split(separator: "\n").first {
      $0.hasPrefix("mirror_\(name){")
    }
    return line?.split(separator: " ").last.flatMap { Double($0) }
  }

  @Test func `mirror apply: a good and a missing item are in the JUnit XML and in the metrics`() async throws {
    let server = try StorageEmulator.serving(["a": Data("1".utf8)])
    defer { server.stop() }
    let good = "{ref: a, to: d/a}"
    let place = try Self.place(server, "\(good), {ref: \"none <&> x\", to: \"none <&> x\"}")
    let run = try await place.apply()
    #expect(run.status == 3, "\(run.said)")
    let junit = try Self.junit(place)
    let suite = try #require(junit["testsuites/testsuite"].first)
    let attributes = ["name", "tests", "failures", "errors", "skipped"].map { suite[$0] }
    #expect(attributes == ["mirror.yaml", "2", "1", "0", "0"])
    let cases = junit["testsuites/testsuite/testcase"]
    #expect(cases.compactMap { $0["name"] }.sorted() == ["d/a", "none <&> x"])
    #expect(junit["testsuites/testsuite/testcase/failure"].map { $0["type"] } == ["not_found"])
    #expect(try Self.metric(place, "last_run_exit_status") == 3)
    #expect(try Self.metric(place, "last_success_timestamp_seconds") == nil)
    #expect(try place.folder.readText("r/mirror.prom").contains("outcome=\"downloaded\"} 1\n"))
    // Others read them.
    #expect(try place.folder.entry("r/mirror.prom").mode & 0o444 == 0o444)
  }

  @Test func `mirror apply: the metrics know the last success through runs that fail`() async throws {
    let server = try StorageEmulator.serving(["a": Data("1".utf8)])
    defer { server.stop() }
    let place = try Self.place(server, "{ref: a, to: a}")
    #expect(try await place.apply().status == 0)
    let success = try #require(try Self.metric(place, "last_success_timestamp_seconds"))
    #expect(try Self.metric(place, "last_run_timestamp_seconds") == success)
    try place.write(server.port, settings: Self.settings, "items: [{ref: a, to: a}, {ref: none, to: none}]")
    for _ in 0..<2 { #expect(try await place.apply().status == 3) }
    #expect(try Self.metric(place, "last_success_timestamp_seconds") == success)
    #expect(try #require(try Self.metric(place, "last_run_timestamp_seconds")) > success)
  }

  @Test func `mirror apply: a document that cannot be written is refused before anything is fetched`() async throws {
    let server = try StorageEmulator.serving(["a": Data("1".utf8)])
    defer { server.stop() }
    for key in ["junit", "prometheus"] {
      let place = try Workplace(server.port, settings: "report: {\(key): taken}", "items: [{ref: a, to: a}]")
      try place.folder.makeFolder("taken")
      let result = try await place.mirror("apply", "mirror.yaml")
      #expect(result.status == 6 && result.errorText.contains("taken"), "\(result.errorText)")
      #expect(place.content("a") == nil)
    }
  }

  @Test func `mirror plan and -n: neither document is written`() async throws {
    let server = try StorageEmulator.serving(["a": Data("1".utf8)])
    defer { server.stop() }
    let place = try Self.place(server, "{ref: a, to: a}")
    #expect(try await place.mirror("plan", "mirror.yaml").status == 0)
    #expect(try await place.mirror("apply", "-n", "mirror.yaml").status == 0)
    #expect(!place.folder.exists("r"))
  }

  @Test func `mirror check: two documents of one name are refused`() async throws {
    let place = try Workplace(1, settings: "report: {json: x, junit: x}", "items: []")
    let result = try await place.mirror("check", "mirror.yaml")
    #expect(result.status == 2 && result.errorText.contains("`junit` is the file of `json` as well"))
  }
}

/// The elements of a document with their attributes, by their paths.
private final class JUnitElements: NSObject, XMLParserDelegate {
  private var path: [String] = []
  private var found: [String: [[String: String]]] = [:]

  subscript(path: String) -> [[String: String]] { found[path] ?? [] }

  func parser(
    _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    path.append(element)
    found[path.joined(separator: "/"), default: []].append(attributes)
  }

  func parser(
    _ parser: XMLParser, didEndElement element: String, namespaceURI: String?, qualifiedName: String?
  ) {
    path.removeLast()
  }
}
