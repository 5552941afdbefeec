// Hosts whose IPv6 addresses lead nowhere, so that not every connection finds that out anew (P89). Pure.
//
// libcurl tries IPv6 first and, when it has not connected after its head start, IPv4 beside it (RFC 8305). It does not
// remember who won: measured with 7.88, each further connection pays for the head start again.

import TransferModel

struct AddressFamilies {
  /// `CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS(3)`, less the coarseness of clocks.
  static let headStart = Duration.milliseconds(190)
  private static let kept = 256

  private var withoutIPv6: Set<String> = []

  /// Whether this host is to be reached over IPv4 alone.
  func avoidsIPv6(_ host: String) -> Bool { withoutIPv6.contains(host) }

  /// What one exchange that made a connection, or could not, teaches about its host.
  ///
  /// | connected | over | took | lesson |
  /// | --- | --- | --- | --- |
  /// | yes | IPv4 | the head start or longer | IPv6 does not answer, or IPv4 is all there is: go there at once |
  /// | yes | IPv4 | less | nothing |
  /// | yes | IPv6 | – | IPv6 works |
  /// | no | – | – | whatever was learned may be of the past: try both again |
  mutating func note(_ host: String, connected: Bool, overIPv4: Bool, took: Duration) {
    guard connected, overIPv4 else {
      withoutIPv6.remove(host)
      return
    }
    guard took >= Self.headStart else { return }
    if withoutIPv6.count >= Self.kept { withoutIPv6.removeAll() }
    withoutIPv6.insert(host)
  }
}

extension CurlLoop {
  /// Learns from an exchange that has just ended; `slot` still holds libcurl's figures.
  func learnFamily(of slot: ExchangeSlot, _ end: ExchangeEnd) {
    switch end.result {
    case .failed(let fault) where [.connectTimeout, .connectionRefused, .unreachable].contains(fault.kind):
      families.note(slot.origin.host, connected: false, overIPv4: false, took: .zero)
    default:
      guard let connected = slot.newConnection() else { return }
      families.note(slot.origin.host, connected: true, overIPv4: connected.overIPv4, took: connected.took)
    }
  }
}
