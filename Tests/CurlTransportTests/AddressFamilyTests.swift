import Testing

@testable import CurlTransport

/// `AddressFamilies.note`, row by row.
@Suite struct AddressFamilyTests {
  struct Row: Sendable {
    var connected = true
    var overIPv4 = true
    var took = Duration.milliseconds(201)
    var knewBefore = false
    var knowsAfter: Bool
  }

  @Test(arguments: [
    Row(knowsAfter: true), Row(took: .milliseconds(20), knowsAfter: false),
    Row(took: .milliseconds(20), knewBefore: true, knowsAfter: true),
    Row(overIPv4: false, took: .seconds(3), knowsAfter: false),
    Row(overIPv4: false, knewBefore: true, knowsAfter: false),
    Row(connected: false, knewBefore: true, knowsAfter: false),
  ])
  func `P89 a host is reached over IPv4 once IPv6 lost the race there`(_ row: Row) {
    var families = AddressFamilies()
    if row.knewBefore { families.note("a", connected: true, overIPv4: true, took: .seconds(1)) }
    families.note("a", connected: row.connected, overIPv4: row.overIPv4, took: row.took)
    #expect(families.avoidsIPv6("a") == row.knowsAfter)
    #expect(!families.avoidsIPv6("b"))
  }

  @Test func `hosts without number do not fill the memory`() {
    var families = AddressFamilies()
    for number in 0..<100_000 { families.note("\(number)", connected: true, overIPv4: true, took: .seconds(1)) }
    #expect((0..<100_000).count { families.avoidsIPv6("\($0)") } <= 256)
  }
}
