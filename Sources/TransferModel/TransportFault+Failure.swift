// What a fault below HTTP means for us: one table.

extension TransferFailure {
  /// | fault | reason | class |
  /// | --- | --- | --- |
  /// | name not found, lookup failed | `name_not_found`, `name_lookup_failed` | transient |
  /// | refused, unreachable, connect time-out, stall, reset, truncated, empty reply, stream reset | their own | transient |
  /// | TLS handshake | `tls` | transient (an interruption looks the same) |
  /// | certificate | `certificate` | permanent |
  /// | protocol violation, proxy, other | their own | permanent |
  /// | too many open files, out of memory | their own | local |
  package init(_ fault: TransportFault, place: String) {
    let (reason, failureClass, sentence, hint) = Self.row(fault.kind)
    let detail = fault.detail.isEmpty ? "" : " (\(fault.detail))"
    self.init(reason, failureClass, "\(place): \(sentence)\(detail)", hint: hint)
  }

  private static func row(
    _ kind: TransportFault.Kind
  ) -> (ReasonCode, FailureClass, sentence: String, hint: String?) {
    switch kind {
    case .nameNotFound: (.nameNotFound, .transient, "the host name was not found", "Check the spelling of the host.")
    case .nameLookupFailed: (.nameLookupFailed, .transient, "the name server did not answer", nil)
    case .connectionRefused: (.connectionRefused, .transient, "the connection was refused", "Is the server running?")
    case .unreachable: (.unreachable, .transient, "the host cannot be reached", nil)
    case .connectTimeout: (.timeout, .transient, "no connection within the connect time-out", nil)
    case .stalled: (.stalled, .transient, "nothing more came for the idle time", nil)
    case .connectionReset: (.connectionReset, .transient, "the connection was reset", nil)
    case .truncated: (.truncated, .transient, "the connection closed before the body was whole", nil)
    case .emptyReply: (.truncated, .transient, "the connection closed before an answer came", nil)
    case .tlsHandshake: (.tls, .transient, "the TLS handshake failed", nil)
    case .certificate:
      (
        .certificate, .permanent, "the server's certificate cannot be trusted",
        "Check the host name and the clock; a private CA has to be installed on this machine."
      )
    case .streamReset: (.connectionReset, .transient, "the HTTP/2 stream was reset", nil)
    case .protocolViolation: (.protocolViolation, .permanent, "the answer breaks HTTP", nil)
    case .proxy: (.proxy, .permanent, "the proxy refused", "Check HTTP_PROXY, HTTPS_PROXY and NO_PROXY.")
    case .tooManyOpenFiles:
      (.tooManyOpenFiles, .local, "too many open files", "Raise `ulimit -n` or lower `limits: {jobs: …}`.")
    case .outOfMemory: (.outOfMemory, .local, "out of memory", "Lower `limits: {jobs: …}`.")
    case .other: (.internalError, .permanent, "the transfer failed", nil)
    }
  }
}
