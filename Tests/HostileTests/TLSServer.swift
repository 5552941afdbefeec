// A TLS server that ends its connections as the path says: with TLS's goodbye, without, with a reset. No server of Debian's
// can be told to do so.

import Foundation
import TestSupport

/// Answers each path in its own way with 300,000 bytes of `b`. Stopped when the value goes away.
final class TLSServer: Sendable {
  private static let program = """
    import socket, ssl, struct, sys, threading
    certificate, key, version, place = sys.argv[1:5]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    wanted = ssl.TLSVersion.TLSv1_2 if version == '1.2' else ssl.TLSVersion.TLSv1_3
    context.minimum_version = context.maximum_version = wanted
    listener = socket.create_server(('127.0.0.1', 0))
    BODY = b'b' * 300000
    asked = {}
    def chunks(body): return b'%x\\r\\n' % len(body) + body + b'\\r\\n'
    def serve(raw):
        try:
            connection = context.wrap_socket(raw, server_side=True)
            head = b''
            while b'\\r\\n\\r\\n' not in head:
                piece = connection.recv(4096)
                if not piece: return
                head += piece
            path = head.split(b' ')[1].decode().strip('/')
            asked[path] = asked.get(path, 0) + 1
            polite = path in ('whole', 'chunked-cut') or (path == 'cut-once' and asked[path] > 1)
            body = BODY if polite or path in ('rude', 'length', 'chunked') else BODY[:200000]
            if path.startswith('length'):
                connection.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 300000\\r\\n\\r\\n' + body)
            elif path.startswith('chunked'):
                end = b'0\\r\\n\\r\\n' if path == 'chunked' else b''
                body = body if path == 'chunked' else BODY[:200000]
                connection.sendall(b'HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n' + chunks(body) + end)
            else:
                connection.sendall(b'HTTP/1.0 200 OK\\r\\n\\r\\n' + body)
            if polite: connection.unwrap()
            if path == 'cut-reset':
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
                connection.close()
                return
            # Not close alone: bytes of the client that nobody has read would make it a reset.
            connection.shutdown(socket.SHUT_WR)
            connection.settimeout(2)
            while socket.socket.recv(connection, 4096): pass
        except (OSError, ValueError):
            pass
        finally:
            raw.close()
    with open(place, 'w') as file: file.write(str(listener.getsockname()[1]) + '\\n')
    while True:
        raw, _ = listener.accept()
        threading.Thread(target=serve, args=(raw,), daemon=True).start()
    """

  let port: UInt16
  let certificate: SelfSignedCertificate
  private let folder: TemporaryDirectory
  private let process: ChildProcess

  /// - Parameter version: of TLS, `1.2` or `1.3`.
  init(version: String = "1.3") throws {
    folder = try TemporaryDirectory(named: "mirror-tls")
    let certificate = try SelfSignedCertificate(in: folder)
    self.certificate = certificate
    try folder.write(Self.program, to: "server.py")
    let place = folder.path("port")
    let process = try ChildProcess(
      "python3", [folder.path("server.py"), certificate.certificatePath, certificate.keyPath, version, place])
    self.process = process
    var port: UInt16?
    try waitUntil("the TLS server listens", timeout: .seconds(30)) {
      port = (try? String(contentsOfFile: place, encoding: .utf8)).flatMap {
        $0.hasSuffix("\n") ? UInt16($0.dropLast()) : nil
      }
      return port != nil || process.end != nil
    }
    guard let port else {
      throw ServerDidNotStart(name: "python3", log: String(decoding: process.standardError, as: UTF8.self))
    }
    self.port = port
  }

  /// What a child needs to trust it.
  var trust: [String: String] { ["SSL_CERT_FILE": certificate.certificatePath] }

  static let isAvailable: Bool = (try? ChildProcess.run("python3", ["-c", "import ssl"]))?.status == 0
}
