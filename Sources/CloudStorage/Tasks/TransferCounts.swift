// How far a download is: two numbers.

/// Bytes that are there, and bytes that are due, of the object as it is stored.
struct TransferCounts: Hashable, Sendable {
  var completed: Int64 = 0
  /// -1 when the server names no length, 0 before it has answered.
  var total: Int64 = 0

  static let unknownTotal: Int64 = -1
}
