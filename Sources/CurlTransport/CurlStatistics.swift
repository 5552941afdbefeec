// What a transport has done so far, in numbers. For tests and diagnostics; nothing is decided from it.

/// Counts since the transport was made. Readable from any thread; an exchange is counted when it ends.
package struct CurlStatistics: Sendable, Equatable {
  /// TCP connections that were made.
  package var connectionsOpened = 0
  /// Exchanges whose request was sent, at least in part.
  package var requestsSent = 0
  /// Exchanges that ended, however they did.
  package var exchangesEnded = 0

  static func += (left: inout Self, right: Self) {
    left.connectionsOpened += right.connectionsOpened
    left.requestsSent += right.requestsSent
    left.exchangesEnded += right.exchangesEnded
  }
}
