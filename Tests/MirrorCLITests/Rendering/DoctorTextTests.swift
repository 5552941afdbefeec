// What `mirror doctor` prints.

import MirrorEngine
import MirrorPlan
import Testing

@testable import MirrorCLI

@Suite("Doctor's text")
struct DoctorTextTests {
  private let findings = [
    DoctorFinding(.root, .good, "./assets has 1.0 GiB free"),
    DoctorFinding(.clock, .doubtful, "this clock is 2 minutes ahead", hint: "Set the clock."),
    DoctorFinding(.credential, .bad, "\u{1B}[2Jrefused"),
  ]

  @Test func `a line a finding, hints below, counts at the end`() {
    #expect(
      DoctorText.text(findings) == """
        ok    root: ./assets has 1.0 GiB free
        HMM   clock: this clock is 2 minutes ahead
              hint: Set the clock.
        BAD   credential: \\u{1B}[2Jrefused
        3 looked at, 1 bad, 1 doubtful.

        """)
  }

  @Test func `JSON is one document`() {
    #expect(
      DoctorText.json([findings[1]]) == """
        {
          "schema": "mirror.doctor/1",
          "findings": [
            {"subject": "clock", "verdict": "doubtful", "message": "this clock is 2 minutes ahead", "hint": "Set the clock."}
          ]
        }

        """)
  }

  @Test func `only what is bad fails`() {
    #expect(DoctorText.status(of: Array(findings.prefix(2))) == .done)
    #expect(DoctorText.status(of: findings) == .failedForGood)
  }
}
