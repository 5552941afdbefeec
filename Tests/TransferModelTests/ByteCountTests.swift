// Byte counts as people write them and as we print them.

import Testing
import TransferModel

@Suite("Byte counts")
struct ByteCountTests {
  @Test(
    "is read",
    arguments: [
      ("0", 0 as Int64), ("1048576", 1_048_576), ("1048576B", 1_048_576), ("1MiB", 1_048_576), ("1MB", 1_000_000),
      ("1mib", 1_048_576),
      ("1kb", 1_000), ("1.5GiB", 1_610_612_736), ("0.000001TB", 1_000_000), ("0.1KiB", 102), ("1.0", 1),
      ("2TiB", 2_199_023_255_552),
      ("0.999999999TiB", 1_099_511_626_676), ("9223372036854775807", .max),
    ])
  func read(text: String, bytes: Int64) {
    #expect(ByteCount(parsing: text)?.bytes == bytes)
  }

  @Test(
    "is refused",
    arguments: [
      "", "B", "MiB", "-1", "+1", "1.5", "1.5B", "1 MiB", " 1", "1e3", "0x10", "1..5KB", "1.KB", ".5KB",
      "1.1234567890KB",
      "9223372036854775808", "8388608TiB", "1XB", "１",
    ])
  func refused(text: String) {
    #expect(ByteCount(parsing: text) == nil)
  }

  @Test(
    "is printed",
    arguments: [
      (0 as Int64, "0 B"), (1_023, "1023 B"), (1_024, "1.0 KiB"), (1_536, "1.5 KiB"), (1_048_575, "1.0 MiB"),
      (1_048_576, "1.0 MiB"),
      (3_565_158, "3.4 MiB"), (1 << 40, "1.0 TiB"), (1 << 53, "8192.0 TiB"), (-1_536, "-1.5 KiB"), (-512, "-512 B"),
    ])
  func printed(bytes: Int64, text: String) {
    #expect(ByteCount(bytes).description == text)
  }
}
