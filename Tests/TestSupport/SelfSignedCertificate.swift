// A certificate for a test's own TLS server.

/// A key and a certificate for `localhost` and `127.0.0.1`, signed by itself; good for two days.
package struct SelfSignedCertificate: Sendable {
  package let certificatePath: String
  package let keyPath: String

  /// Made by the `openssl` command.
  package init(in folder: TemporaryDirectory, named name: String = "localhost") throws {
    certificatePath = folder.path("\(name).crt")
    keyPath = folder.path("\(name).key")
    let result = try ChildProcess.run(
      "openssl",
      [
        "req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-days", "2",
        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
        "-keyout", keyPath, "-out", certificatePath,
      ])
    guard result.status == 0 else { throw ServerDidNotStart(name: "openssl", log: result.errorText) }
  }
}
