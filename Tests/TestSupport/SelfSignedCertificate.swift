// A certificate for a test's own TLS server.

/// A key and a certificate for `localhost` and `127.0.0.1`, signed by itself; good for two days unless told otherwise.
package struct SelfSignedCertificate: Sendable {
  package let certificatePath: String
  package let keyPath: String

  /// Made by the `openssl` command.
  ///
  /// - Parameters:
  ///   - name: of the two files.
  ///   - subjects: whom it proves, as `openssl` writes it.
  ///   - days: how long it is good; a negative number makes one that has run out.
  package init(
    in folder: TemporaryDirectory, named name: String = "localhost",
    for subjects: String = "DNS:localhost,IP:127.0.0.1", days: Int = 2
  ) throws {
    certificatePath = folder.path("\(name).crt")
    keyPath = folder.path("\(name).key")
    // In two steps, because `openssl req -x509` makes none that has run out.
    let request = folder.path("\(name).csr")
    try Self.openssl(
      "req", "-new", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-subj", "/CN=localhost",
      "-addext", "subjectAltName=\(subjects)", "-keyout", keyPath, "-out", request)
    try Self.openssl(
      "x509", "-req", "-in", request, "-signkey", keyPath, "-days", "\(days)", "-copy_extensions", "copy",
      "-out", certificatePath)
  }

  private static func openssl(_ arguments: String...) throws {
    let result = try ChildProcess.run("openssl", arguments)
    guard result.status == 0 else { throw ServerDidNotStart(name: "openssl", log: result.errorText) }
  }
}
