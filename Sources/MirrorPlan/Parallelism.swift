// How many transfers may run at the same time: numbers that were asked for, or a range in which the run looks for the
// best one. Pure. The search itself is the transport's.

/// Two ranges: what a run begins with, up to what it may grow to.
///
/// | `jobs` | `per_host` | transfers | connections to a host |
/// | --- | --- | --- | --- |
/// | – | – | 32...128 | 16...128 |
/// | n | – | n | the smaller of 16 and n...the smaller of 128 and n |
/// | – | n | 32 | n |
/// | n | m | n | m |
///
/// No transfers beyond what memory and open files allow, and no more connections to a host than transfers grow to, unless
/// they were asked for.
package struct Parallelism: Hashable, Sendable {
  /// All hosts together.
  package let transfers: ClosedRange<Int>
  /// TCP connections to one host and port; over HTTP/2, where one connection carries many, transfers.
  package let perHost: ClosedRange<Int>
  /// Whether a host's number is chosen while the run goes on: raised while that pays, lowered where the host asks for it.
  /// When it was asked for, it is neither.
  package let isChosen: Bool

  /// Exactly these numbers.
  package init(transfers: Int, perHost: Int) {
    self.transfers = transfers...transfers
    self.perHost = perHost...perHost
    isChosen = false
  }

  /// - Parameters:
  ///   - wanted: wins over the manifest's `jobs`; nil = the manifest's.
  ///   - bound: what the limit on open files allows; at least 1.
  package init(_ limits: Limits, wanted: Int? = nil, bound: Int = .max) {
    let bound = max(1, min(bound, Int(clamping: limits.memory.bytes >> 20)))
    let jobs = wanted ?? limits.jobs
    let first = min(jobs ?? Self.firstTransfers, bound)
    let most = jobs == nil && limits.perHost == nil ? min(Self.most, bound) : first
    transfers = first...max(first, most)
    if let asked = limits.perHost {
      perHost = asked...asked
      isChosen = false
    } else {
      let most = min(Self.most, transfers.upperBound)
      perHost = min(Self.firstPerHost, most)...most
      isChosen = true
    }
  }

  private static let firstTransfers = 32
  private static let firstPerHost = 16
  /// More were not measured to help at 20 ms each way.
  private static let most = 128
}
