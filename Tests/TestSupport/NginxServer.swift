// A real web server over a folder, to be served by something that is not ours.

import Foundation
import Glibc

/// A server that did not come up, with what it said.
package struct ServerDidNotStart: Error, CustomStringConvertible {
  package var name: String
  package var log: String

  package init(name: String, log: String) {
    self.name = name
    self.log = log
  }

  package var description: String { "\(name) did not start: \(log.suffix(2_000))" }
}

/// nginx in the foreground, as one process, on a free loopback port; everything it writes is in a temporary folder. Needs
/// no privileges. Stopped when the value goes away.
package final class NginxServer: Sendable {
  package enum Scheme: String, Sendable {
    case http
    case https
    /// TLS that offers HTTP/2 and HTTP/1.1.
    case https2
  }

  /// What is put into the configuration, as nginx writes it.
  package struct Snippets: Sendable {
    /// Inside `http { … }`, such as `limit_req_zone`.
    package var http = ""
    /// Inside `server { … }`, such as further `location`s.
    package var server = ""
    /// Inside `location / { … }`, such as `add_header`.
    package var location = ""

    package init(http: String = "", server: String = "", location: String = "") {
      self.http = http
      self.server = server
      self.location = location
    }
  }

  package static let executable = "/usr/sbin/nginx"

  /// Why tests with nginx cannot run here; nil when they can.
  package static var unavailable: String? {
    FileManager.default.isExecutableFile(atPath: executable) ? nil : "\(executable) is not installed (nginx-light)"
  }
  package static var isAvailable: Bool { unavailable == nil }

  package let port: UInt16
  package let scheme: Scheme
  /// What a client must trust; nil without TLS.
  package let certificate: SelfSignedCertificate?
  private let folder: TemporaryDirectory
  private let process: ChildProcess

  /// Serves the files below `root`, and returns when connections are accepted. Blocks for some 20 ms.
  ///
  /// - Parameter certificate: for TLS; nil = a good one of its own.
  package init(
    serving root: String, scheme: Scheme = .http, snippets: Snippets = Snippets(),
    certificate given: SelfSignedCertificate? = nil
  ) throws {
    folder = try TemporaryDirectory(named: "mirror-nginx")
    self.scheme = scheme
    certificate = scheme == .http ? nil : try given ?? SelfSignedCertificate(in: folder)
    var started: (port: UInt16, process: ChildProcess)?
    // The port may be gone before nginx takes it.
    for _ in 0..<3 where started == nil {
      let port = try LoopbackSocket.freePort()
      let text = Self.configuration(
        root: root, port: port, scheme: scheme, snippets: snippets, folder: folder, certificate: certificate)
      try folder.write(text, to: "nginx.conf")
      let process = try ChildProcess(
        Self.executable, ["-p", folder.path, "-c", folder.path("nginx.conf"), "-e", folder.path("error.log")])
      try waitUntil("nginx listens") { process.end != nil || LoopbackSocket.accepts(port: port) }
      if process.end == nil { started = (port, process) }
    }
    guard let started else {
      throw ServerDidNotStart(name: "nginx", log: (try? folder.readText("error.log")) ?? "")
    }
    (port, process) = started
  }

  /// `http://127.0.0.1:PORT`, without a slash at the end.
  package var base: String { "\(scheme == .http ? "http" : "https")://127.0.0.1:\(port)" }

  package var pid: Int32 { process.pid }

  /// One line a request that was answered, in order: method, request target, status, `Range` header or `-`.
  package func requests() throws -> [String] {
    try folder.readText("access.log").split(separator: "\n").map(String.init)
  }

  /// Ends the server at once; harmless when it has ended.
  package func stop() {
    process.send(signal: SIGTERM)
    if process.wait(for: .seconds(2)) == nil { process.send(signal: SIGKILL) }
  }

  private static func configuration(
    root: String, port: UInt16, scheme: Scheme, snippets: Snippets, folder: TemporaryDirectory,
    certificate: SelfSignedCertificate?
  ) -> String {
    let protocols = [Scheme.http: "", .https: " ssl", .https2: " ssl http2"][scheme] ?? ""
    let tls = certificate.map { "ssl_certificate \($0.certificatePath); ssl_certificate_key \($0.keyPath);" } ?? ""
    let temporaries = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "\($0)_temp_path \(folder.path("temporary-" + $0));" }.joined(separator: " ")
    // One process without a master: killing it by its number leaves nothing behind, and no user is switched to.
    return """
      daemon off;
      master_process off;
      pid \(folder.path("nginx.pid"));
      error_log \(folder.path("error.log")) warn;
      events { worker_connections 1024; }
      http {
        \(temporaries)
        log_format plain '$request_method $request_uri $status $http_range';
        access_log \(folder.path("access.log")) plain;
        default_type application/octet-stream;
        sendfile on;
        tcp_nopush on;
        keepalive_timeout 60;
        keepalive_requests 1000000;
        \(snippets.http)
        server {
          listen 127.0.0.1:\(port)\(protocols);
          server_name localhost;
          \(tls)
          root "\(root)";
          \(snippets.server)
          location / { \(snippets.location) }
        }
      }

      """
  }
}
