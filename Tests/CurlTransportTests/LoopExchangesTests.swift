// The loop's own lists of exchanges against a dictionary that does the same.

import TestSupport
import Testing
import TransferModel

@testable import CurlTransport

@Suite struct LoopExchangesTests {
  @Test(arguments: [1, 2, 3]) func `those that wait are found in and out of turn, each once`(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var waiting = WaitingExchanges<UInt64>()
    var known: [UInt64: UInt64] = [:]
    var last: UInt64 = 0
    for _ in 0..<20_000 {
      switch random.next() % 8 {
      case 0..<4:
        last += 1
        waiting.append(last * 3, as: ExchangeID(last))
        known[last] = last * 3
      case 4..<7:
        // The first of them, as when one after the other begins.
        guard let first = known.keys.min() else { break }
        #expect(waiting.remove(ExchangeID(first)) == known.removeValue(forKey: first))
      default:
        let any = random.next() % (last + 2)
        #expect(waiting.remove(ExchangeID(any)) == known.removeValue(forKey: any))
      }
      #expect(waiting.count == known.count && waiting.isEmpty == known.isEmpty)
      // Emptied now and then.
      if random.next() % 2_000 == 0 {
        #expect(waiting.ids.map(\.value) == known.keys.sorted())
        for id in waiting.ids.reversed() { #expect(waiting.remove(id) == known.removeValue(forKey: id.value)) }
      }
    }
    #expect(waiting.ids.map(\.value) == known.keys.sorted())
  }
}
