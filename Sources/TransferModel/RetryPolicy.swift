// When to try again, and after how long: the policy's numbers. The decision is `RetryDecision`.

/// How often and how long a request is tried again.
package struct RetryPolicy: Hashable, Sendable {
  /// No new attempt starts later than this after the last progress; default 10 min.
  package var budget: Duration
  /// HTTP statuses that count as transient.
  package var statuses: StatusSet
  /// The first wait's upper bound; each further one doubles it.
  package var initial: Duration
  /// No wait is longer, unless the server asks for it by `Retry-After`.
  package var maximum: Duration

  package init(
    budget: Duration = .seconds(600), statuses: StatusSet = [408, 429, 500, 502, 503, 504],
    initial: Duration = .seconds(1), maximum: Duration = .seconds(60)
  ) {
    self.budget = budget
    self.statuses = statuses
    self.initial = initial
    self.maximum = maximum
  }
}
