import Testing
import TransferModel

@Suite("Sets of statuses")
struct StatusSetTests {
  @Test(
    "hold what was put in and nothing else", arguments: [[], [400], [599], [463, 464], Array(400...599), [503, 408]])
  func members(statuses: [Int]) {
    var set: StatusSet = []
    for status in statuses { set.insert(status) }
    for status in [-1, 0, 200, 399, 600, 1_000, .max, .min] + Array(400...599) {
      #expect(set.contains(status) == statuses.contains(status))
    }
    var again: StatusSet = []
    for status in statuses.reversed() { again.insert(status) }
    #expect(again == set)
  }
}
