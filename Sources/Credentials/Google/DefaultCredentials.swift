// Application default credentials: where Google's programs look, in their order.

package import TransferModel

package enum DefaultCredentials {
  /// | order | place |
  /// | :-: | --- |
  /// | 1 | the file that `GOOGLE_APPLICATION_CREDENTIALS` names; must be there. Set but empty counts as not set |
  /// | 2 | `application_default_credentials.json` in `$CLOUDSDK_CONFIG`, else in `$HOME/.config/gcloud` |
  /// | 3 | the metadata server, looked for when the first token is needed |
  ///
  /// `GOOGLE_CLOUD_QUOTA_PROJECT` wins over the file's `quota_project_id`.
  ///
  /// - Parameter read: gives a file's bytes; nil when there is no such file.
  package static func find(
    environment: (String) -> String?, scope: GoogleScope, trust: TokenTrust,
    read: (String) throws(TransferFailure) -> [UInt8]?
  ) throws(TransferFailure) -> GoogleCredential {
    func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    var credential: GoogleCredential
    if let path = value("GOOGLE_APPLICATION_CREDENTIALS") {
      guard let bytes = try read(path) else {
        throw TransferFailure(
          .unauthenticated, .permanent, "File \(path) was not found.",
          hint: "GOOGLE_APPLICATION_CREDENTIALS names it; correct it, or unset it.")
      }
      credential = try GoogleCredentialFile.parse(bytes, file: path, scope: scope, trust: trust)
    } else if let path = wellKnownFile(value), let bytes = try read(path) {
      credential = try GoogleCredentialFile.parse(bytes, file: path, scope: scope, trust: trust)
    } else {
      credential = GoogleCredential(
        method: MetadataServer(scope: scope, detects: true, environment: environment))
    }
    credential.quotaProject = value("GOOGLE_CLOUD_QUOTA_PROJECT") ?? credential.quotaProject
    return credential
  }

  private static func wellKnownFile(_ value: (String) -> String?) -> String? {
    let folder = value("CLOUDSDK_CONFIG") ?? value("HOME").map { $0 + "/.config/gcloud" }
    return folder.map { $0 + "/application_default_credentials.json" }
  }
}
