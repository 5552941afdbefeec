// Exchanges that failed for want of an address: their end waits until it is known what that means (`NameProbe`).

import CCurl
import TransferModel

/// Failed exchanges by host, and the timer that bounds their wait.
struct UnansweredNames {
  struct Exchange {
    let id: ExchangeID
    let handler: any ExchangeHandler
    let end: ExchangeEnd
    let detail: String
  }

  struct Host {
    var exchanges: [Exchange]
    let timer: TimerID
  }

  var hosts: [String: Host] = [:]

  mutating func remove(_ id: ExchangeID) -> Exchange? {
    for (name, var host) in hosts {
      guard let place = host.exchanges.firstIndex(where: { $0.id == id }) else { continue }
      let exchange = host.exchanges.remove(at: place)
      hosts[name] = host
      return exchange
    }
    return nil
  }

  var ids: [ExchangeID] { hosts.values.flatMap { $0.exchanges.map(\.id) } }
}

extension CurlLoop {
  /// Longer than this no exchange waits for the second look-up.
  private static let longestProbe = Duration.seconds(5)

  /// Keeps the end back until the look-up answers. One look-up at a time for a host, however many exchanges failed.
  func awaitName(_ host: String, _ exchange: UnansweredNames.Exchange) {
    if unanswered.hosts[host] != nil {
      unanswered.hosts[host]?.exchanges.append(exchange)
      return
    }
    let timer = schedule(after: Self.longestProbe) { [unowned self] in answer(host, .nameLookupFailed) }
    unanswered.hosts[host] = UnansweredNames.Host(exchanges: [exchange], timer: timer)
    let mailbox = mailbox
    let isAsked = NameProbe.start(host) { kind in
      mailbox.post { loop in (loop as? CurlLoop)?.answer(host, kind) }
    }
    if !isAsked { answer(host, .nameLookupFailed) }
  }

  private func answer(_ host: String, _ kind: TransportFault.Kind) {
    guard let answered = unanswered.hosts.removeValue(forKey: host) else { return }
    cancel(answered.timer)
    for exchange in answered.exchanges {
      var end = exchange.end
      end.result = .failed(TransportFault(kind, detail: exchange.detail))
      finish(exchange.handler, end)
    }
  }
}
