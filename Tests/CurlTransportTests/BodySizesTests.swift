import Testing
import TransferModel

@testable import CurlTransport

@Suite("What the bodies of a host weigh")
struct BodySizesTests {
  let origin = Origin(scheme: .http, host: "a.example")

  private func sizes(_ bodies: [Int64]) -> BodySizes {
    var sizes = BodySizes()
    for bytes in bodies { sizes.note(bytes, from: origin) }
    return sizes
  }

  @Test("nothing is guessed from fewer than eight bodies, nor for another host")
  func unknown() {
    #expect(sizes(Array(repeating: 4_096, count: 7)).expected(from: origin) == nil)
    #expect(sizes(Array(repeating: 4_096, count: 8)).expected(from: origin) == 4_096)
    #expect(
      sizes(Array(repeating: 4_096, count: 8)).expected(from: Origin(scheme: .https, host: "a.example")) == nil)
  }

  @Test("a few big bodies among small ones ask for the big buffer, and small ones behind them for the small one again")
  func mixture() throws {
    let small = Array(repeating: Int64(4_096), count: 20)
    let afterBig = try #require(sizes(small + [1 << 20]).expected(from: origin))
    #expect(ExchangeSlot.Buffer(expecting: afterBig) == .large)
    let again = try #require(sizes(small + [1 << 20] + small).expected(from: origin))
    #expect(ExchangeSlot.Buffer(expecting: again) == .small)
    #expect(ExchangeSlot.Buffer(expecting: nil) == .large)
  }

  @Test("memory is bounded by the number of hosts")
  func bounded() {
    var sizes = BodySizes()
    for number in 0..<1_000 {
      for _ in 0..<8 { sizes.note(1, from: Origin(scheme: .http, host: "h\(number)")) }
    }
    let known = (0..<1_000).count { sizes.expected(from: Origin(scheme: .http, host: "h\($0)")) != nil }
    #expect(known > 0 && known <= BodySizes.mostHosts)
  }
}
