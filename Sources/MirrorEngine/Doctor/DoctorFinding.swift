// What the doctor says: a value, for any rendering.

/// One thing that was looked at.
package struct DoctorFinding: Hashable, Sendable {
  package enum Subject: String, Sendable, CaseIterable {
    case root
    case name
    case connection
    case clock
    case proxy
    case credential
    case program
  }

  package enum Verdict: String, Comparable, Sendable, CaseIterable {
    case good
    /// Works, and may not be what is wanted.
    case doubtful
    /// A run will fail because of it.
    case bad

    package static func < (left: Verdict, right: Verdict) -> Bool { left.rank < right.rank }
    private var rank: Int { self == .good ? 0 : self == .doubtful ? 1 : 2 }
  }

  package var subject: Subject
  package var verdict: Verdict
  /// One sentence with the place in it; without secrets.
  package var message: String
  /// What to do next.
  package var hint: String?

  package init(_ subject: Subject, _ verdict: Verdict, _ message: String, hint: String? = nil) {
    self.subject = subject
    self.verdict = verdict
    self.message = message
    self.hint = hint
  }
}
