// How one host is reached, where that differs from the rest.

extension CurlTransport {
  /// A private authority, a certificate of our own, a proxy. All paths are absolute or relative to the working folder; a
  /// file that cannot be read or used ends the exchange with `.certificate` or `.tlsHandshake`.
  package struct HostConnection: Hashable, Sendable {
    package enum Proxy: Hashable, Sendable {
      /// None, whatever the environment says.
      case direct
      /// `http://host:port` or `https://host:port`, whatever the environment says.
      case via(String)
    }

    /// PEM file of the authorities that this host's certificate may come from, in place of all others.
    package var authorityPath: String?
    /// PEM file of the certificate that is shown to the host.
    package var certificatePath: String?
    /// PEM file of the certificate's key, without a pass phrase; nil = in the certificate's file.
    package var keyPath: String?
    /// nil = as the environment says.
    package var proxy: Proxy?

    package init(
      authorityPath: String? = nil, certificatePath: String? = nil, keyPath: String? = nil, proxy: Proxy? = nil
    ) {
      self.authorityPath = authorityPath
      self.certificatePath = certificatePath
      self.keyPath = keyPath
      self.proxy = proxy
    }
  }
}
