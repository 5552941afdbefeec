import Testing

@testable import MirrorCLI

@Suite struct DurationArgumentTests {
  @Test(
    "durations are read",
    arguments: [
      ("0", .zero), ("250ms", .milliseconds(250)), ("30s", .seconds(30)), ("5m", .seconds(300)),
      ("2h", .seconds(7_200)),
      ("7d", .seconds(604_800)), ("1h30m", .seconds(5_400)), ("1m1s500ms", .milliseconds(61_500)),
    ] as [(String, Duration)])
  func read(text: String, expected: Duration) {
    #expect(Duration(argument: text) == expected)
  }

  @Test(
    "what is no duration is refused",
    arguments: [
      "", "5", "s", "-5s", "+5s", "5 s", "5S", "1.5h", "5x", "h5", "٥s", "9223372036854775807d", "9007199254740992s",
    ])
  func refused(text: String) {
    #expect(Duration(argument: text) == nil)
  }
}
