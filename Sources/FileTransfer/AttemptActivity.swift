// What a transfer waits for at the moment, for whoever has to explain a run that does not move. Nothing is decided here.

package import TransferModel

/// The one thing that has to happen before an `AttemptLoop` goes on.
package enum AttemptActivity: Hashable, Sendable {
  /// Nothing was begun yet.
  case notStarted
  /// An answer, or the rest of it; asked for at that time.
  case answer(since: MonotonicInstant, status: Int?, bytes: Int64)
  /// A wait of our own that ends by itself: back-off, Retry-After, a limit on requests or bytes.
  case ownWait(until: MonotonicInstant)
  /// A credential that is being renewed since then.
  case credential(since: MonotonicInstant)
  /// It has been held by its user, or has ended.
  case nothing

  /// Whether it may well go on by itself, though nothing is seen of it: its own wait is not over, or what it waits for was
  /// begun less than `bound` ago.
  package func isInTime(bound: Duration, now: MonotonicInstant) -> Bool {
    switch self {
    case .notStarted, .nothing: false
    case .ownWait(let end): now < end
    case .answer(let start, _, _), .credential(let start): now - start < bound
    }
  }

  /// Without names of hosts, and so without secrets.
  package func words(now: MonotonicInstant) -> String {
    switch self {
    case .notStarted: "has not begun"
    case .nothing: "waits for nothing"
    case .ownWait(let end): "was to go on \(Self.seconds(now - end)) ago"
    case .credential(let start): "waits for a credential since \(Self.seconds(now - start))"
    case .answer(let start, nil, _): "waits for an answer since \(Self.seconds(now - start))"
    case .answer(let start, let status?, let bytes):
      "waits for more than \(bytes) bytes of an answer \(status), asked for \(Self.seconds(now - start)) ago"
    }
  }

  private static func seconds(_ duration: Duration) -> String { "\(Int(duration.inSeconds.rounded())) s" }
}
