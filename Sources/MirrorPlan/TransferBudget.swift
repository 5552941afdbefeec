// What a run may still transfer, under `--max-bytes` and `--max-transfers`. Pure: the books of one run, and the rule by which a
// transfer may begin. Who asks, and what becomes of those that may not, is the worker pool's; time is `--max-duration`'s.

package import TransferModel

/// The books of a run's transfers against its budget. A transfer asks before its first request, again when the head of a body
/// has come, and says at its end what it has received. One that has begun is never cut short.
///
/// A transfer is one that fetches a body: what the server answers with 304, or with an error, uses nothing up.
package struct TransferBudget: Sendable {
  package struct Limits: Hashable, Sendable {
    /// Body bytes of the whole run; nil = no limit.
    package var bytes: ByteCount?
    /// Transfers of the whole run; nil = no limit.
    package var transfers: Int?

    package init(bytes: ByteCount? = nil, transfers: Int? = nil) {
      self.bytes = bytes
      self.transfers = transfers
    }

    package var isNone: Bool { bytes == nil && transfers == nil }
  }

  package enum Verdict: Hashable, Sendable {
    case begin
    /// It depends on what the transfers under way turn out to be: ask again when one has ended.
    case wait
    case refuse(Refusal)
  }

  package enum Refusal: Hashable, Sendable {
    /// So many transfers have begun.
    case transfers(Int)
    /// What is left of the bytes is less than this transfer needs.
    case bytes(ByteCount)
    /// This one alone is larger than the whole budget, so no later run would begin it either.
    case tooLarge(size: Int64, budget: ByteCount)
  }

  /// What is spent for good, and what transfers under way may still come to.
  package struct Books: Hashable, Sendable {
    package var bytes: Int64 = 0
    package var claimedBytes: Int64 = 0
    package var transfers = 0
    package var claimedTransfers = 0

    package init(bytes: Int64 = 0, claimedBytes: Int64 = 0, transfers: Int = 0, claimedTransfers: Int = 0) {
      self.bytes = bytes
      self.claimedBytes = claimedBytes
      self.transfers = transfers
      self.claimedTransfers = claimedTransfers
    }
  }

  private struct Claim {
    var bytes: Int64
    var isTransfer: Bool
    /// Whether a body is on its way: then the transfer is no longer claimed, but spent.
    var hasBody = false
  }

  package let limits: Limits
  private var bytes: Int64 = 0
  private var transfers = 0
  private var claims: [Int: Claim] = [:]
  private var claimedBytes: Int64 = 0
  private var claimedTransfers = 0

  package init(_ limits: Limits) { self.limits = limits }

  package var books: Books {
    Books(bytes: bytes, claimedBytes: claimedBytes, transfers: transfers, claimedTransfers: claimedTransfers)
  }

  /// The rule. `size` is what the transfer will receive; nil = not known.
  ///
  /// | the transfer | verdict |
  /// | --- | --- |
  /// | as many as allowed have begun | refuse |
  /// | as many as allowed have begun or are about to | wait |
  /// | larger than the whole budget | refuse, too large |
  /// | larger than what is left, or nothing is left | refuse |
  /// | larger than what is left when all under way is received, or nothing is left then | wait |
  /// | everything else | begin |
  package static func verdict(_ limits: Limits, _ books: Books, size: Int64?) -> Verdict {
    var mustWait = false
    if let allowed = limits.transfers {
      if books.transfers >= allowed { return .refuse(.transfers(allowed)) }
      mustWait = books.transfers + books.claimedTransfers >= allowed
    }
    guard let budget = limits.bytes else { return mustWait ? .wait : .begin }
    if let size, size > budget.bytes { return .refuse(.tooLarge(size: size, budget: budget)) }
    // A transfer of unknown size needs at least a byte.
    let needed = size ?? 1
    let left = budget.bytes - books.bytes
    if needed > left { return .refuse(.bytes(budget)) }
    if needed > left - books.claimedBytes { mustWait = true }
    return mustWait ? .wait : .begin
  }

  /// Asked before a transfer's first request. One that may be answered with 304 always begins: its head decides.
  package mutating func ask(_ ticket: Int, size: Int64?, mayBeUnchanged: Bool) -> Verdict {
    if mayBeUnchanged {
      claims[ticket] = Claim(bytes: 0, isTransfer: false)
      return .begin
    }
    let verdict = Self.verdict(limits, books, size: size)
    if verdict == .begin { claim(ticket, Claim(bytes: size ?? 0, isTransfer: true)) }
    return verdict
  }

  /// Asked when a body is about to come, of this many bytes; nil = the server does not say. Whether the transfer may go on.
  ///
  /// There is no waiting here: what would have to wait is refused, and comes in a later run.
  package mutating func head(_ ticket: Int, size: Int64?) -> Refusal? {
    guard let known = claims[ticket] else { return nil }
    if !known.hasBody {
      drop(ticket)
      switch Self.verdict(limits, books, size: size) {
      case .begin: break
      case .refuse(let refusal):
        claims[ticket] = Claim(bytes: 0, isTransfer: false)
        return refusal
      case .wait:
        claims[ticket] = Claim(bytes: 0, isTransfer: false)
        return limits.transfers.map { transfers + claimedTransfers >= $0 ? .transfers($0) : nil }
          ?? limits.bytes.map {
            .bytes($0)
          }
      }
      transfers += 1
    } else {
      // Another attempt of the same transfer.
      drop(ticket)
    }
    claim(ticket, Claim(bytes: size ?? 0, isTransfer: false, hasBody: true))
    return nil
  }

  /// The transfer has ended, having received so much in all its attempts.
  package mutating func end(_ ticket: Int, received: Int64) {
    drop(ticket)
    bytes = bytes.addingSaturated(received)
  }

  private mutating func claim(_ ticket: Int, _ claim: Claim) {
    claims[ticket] = claim
    claimedBytes = claimedBytes.addingSaturated(claim.bytes)
    if claim.isTransfer { claimedTransfers += 1 }
  }

  private mutating func drop(_ ticket: Int) {
    guard let claim = claims.removeValue(forKey: ticket) else { return }
    claimedBytes -= claim.bytes
    if claim.isTransfer { claimedTransfers -= 1 }
  }
}

extension TransferBudget.Refusal {
  /// The failure of an entry that was left for a later run.
  package func failure(at place: String) -> TransferFailure {
    switch self {
    case .transfers(0):
      TransferFailure(
        .budgetExhausted, .cancelled, "\(place) is not here yet, or no longer the same, and this run fetches nothing",
        hint: "Run `mirror apply`, or the shards, again.")
    case .transfers(let count):
      TransferFailure(
        .budgetExhausted, .cancelled,
        "\(place) was left for a later run: this one may transfer \(count) (--max-transfers)",
        hint: "Run again: the next run goes on with the rest.")
    case .bytes(let budget):
      TransferFailure(
        .budgetExhausted, .cancelled,
        "\(place) was left for a later run: it is more than what is left of \(budget) (--max-bytes)",
        hint: "Run again: the next run goes on with the rest.")
    case .tooLarge(let size, let budget):
      TransferFailure(
        .budgetExhausted, .cancelled,
        "\(place) has \(ByteCount(size)) to receive, more than the \(budget) that a whole run may (--max-bytes)",
        hint: "Raise --max-bytes: no later run with this budget will fetch it.")
    }
  }
}
