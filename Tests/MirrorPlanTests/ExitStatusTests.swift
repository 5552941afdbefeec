// Which failure leads to which exit status, and which one wins.

import MirrorPlan
import Testing
import TransferModel

/// Swift Testing has an `ExitStatus` of its own.
private typealias Status = MirrorPlan.ExitStatus

@Suite("Exit status")
struct ExitStatusTests {
  static let classes: [FailureClass] = [
    .transient, .throttled(wait: nil), .unauthenticated, .permanent, .integrity, .local, .cancelled,
  ]

  /// Reasons that decide whatever the class is.
  private static let byReason: [ReasonCode: Status?] = [
    .listingIncomplete: .safetyStop, .factsMoved: .safetyStop, .lockDrift: .safetyStop,
    .pruneRefused: .safetyStop, .diskFull: .localResource,
    .permissionDenied: .localResource, .readOnly: .localResource, .tooManyOpenFiles: .localResource,
    .outOfMemory: .localResource, .ioError: .localResource, .commandFailed: .localResource,
    .unauthenticated: .authentication,
    .budgetExhausted: .budgetUsedUp, .retryLimitExceeded: .failedForNow, .retryAfterTooLong: .failedForNow,
    .deadlineExceeded: .failedForNow, .cancelled: nil,
  ]

  private static let byClass: [FailureClass: Status] = [
    .transient: .failedForNow, .throttled(wait: nil): .failedForNow, .unauthenticated: .authentication,
    .permanent: .failedForGood, .integrity: .failedForGood, .local: .localResource,
  ]

  @Test("P84, P85: every failure but a cancelled one ends in a status that is not 0", arguments: ReasonCode.allCases)
  func contributions(reason: ReasonCode) {
    for failureClass in Self.classes {
      let status = Status.contribution(of: reason, failureClass)
      if let expected = Self.byReason[reason] {
        #expect(status == expected)
      } else {
        #expect(status == Self.byClass[failureClass])
      }
      if reason != .cancelled, failureClass != .cancelled { #expect(status != nil && status != .done) }
    }
  }

  @Test("a pause of any length is a pause")
  func throttled() {
    #expect(Status.contribution(of: .throttled, .throttled(wait: .seconds(5))) == .failedForNow)
  }

  @Test("the order 5, 6, 7, 3, 4, 9 decides")
  func precedence() {
    let order: [Status] = [
      .safetyStop, .localResource, .authentication, .failedForGood, .failedForNow, .budgetUsedUp,
    ]
    #expect(order.map(\.rawValue) == [5, 6, 7, 3, 4, 9])
    for (index, status) in order.enumerated() {
      #expect(Status.of(order[index...].reversed()) == status)
      #expect(Status.of([status, .changes, .done]) == status)
      for caller in [Status.interrupted, .terminated, .rootIsHeld, .usage, .internalError] {
        #expect(Status.of([status, caller]) == caller)
      }
    }
    #expect(Status.of([]) == .done)
    #expect(Set(Status.precedence) == Set(Status.allCases))
    #expect(Status.precedence.count == Status.allCases.count)
  }

  @Test("the numbers and the advice are those of the manual")
  func table() {
    let table = Status.allCases.map { "\($0.rawValue) \($0.runAgain)" }
    #expect(
      table == [
        "0 no", "1 maybe", "2 no", "3 no", "4 yes", "5 after a look", "6 after repair", "7 after repair", "8 later",
        "9 yes", "10 no", "130 yes", "143 yes",
      ])
    #expect(Set(Status.allCases.map(\.meaning)).count == Status.allCases.count)
  }

  @Test("W07, P55, P56: one failure among many decides, and all reasons are kept")
  func tally() {
    var tally = ExitTally()
    #expect(tally.status() == .done)
    tally.add(ReportFixtures.unchanged)
    #expect(tally.status() == .done)
    tally.add(ReportFixtures.listing)
    #expect(tally.status() == .failedForNow)
    tally.add(ReportFixtures.failed)
    tally.add(ReportFixtures.failed)
    #expect(tally.status() == .failedForGood)
    #expect(
      tally.reasons.map { "\($0.status.rawValue) \($0.word) \($0.count)" } == [
        "3 not_found 2",
        "4 listing_failed 1",
      ])
    tally.add(.terminated, "sigterm")
    #expect(tally.status() == .terminated)
  }

  @Test("10 is only for those who ask for it, and only when nothing failed")
  func detailed() {
    var tally = ExitTally()
    #expect(tally.status(hasChanges: true) == .done)
    #expect(tally.status(hasChanges: true, detailed: true) == .changes)
    #expect(tally.status(hasChanges: false, detailed: true) == .done)
    tally.add(ReportFixtures.failed)
    #expect(tally.status(hasChanges: true, detailed: true) == .failedForGood)
  }

  @Test("a placeholder hides no failure")
  func placeholder() {
    var entry = ReportFixtures.failed
    entry.outcome = .placeholder
    var tally = ExitTally()
    tally.add(entry)
    #expect(tally.status() == .failedForGood)
  }

  @Test("G20: reasons have Firebase's names where one fits", arguments: ReasonCode.allCases)
  func storageErrorNames(reason: ReasonCode) {
    let table: [String: Set<ReasonCode>] = [
      "objectNotFound": [.notFound], "unauthorized": [.unauthorized], "unauthenticated": [.unauthenticated],
      "quotaExceeded": [.quotaExceeded], "cancelled": [.cancelled], "internalError": [.internalError],
      "downloadSizeExceeded": [.sizeLimitExceeded],
      "pathError": [.unsafeName, .emptyNamePart, .reservedName, .nameNotUTF8, .nameTooLong],
      "nonMatchingChecksum": [.checksumMismatch, .sizeMismatch, .changedDuringTransfer],
      "retryLimitExceeded": [
        .retryLimitExceeded, .retryAfterTooLong, .deadlineExceeded, .throttled, .serverError, .nameLookupFailed,
        .connectionRefused, .unreachable, .timeout, .stalled, .connectionReset, .truncated,
      ],
    ]
    let expected = table.first { $0.value.contains(reason) }?.key ?? "unknown"
    #expect(reason.storageErrorName == expected)
  }
}
