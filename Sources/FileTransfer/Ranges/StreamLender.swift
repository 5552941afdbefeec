// Where the streams beyond a download's first come from.

/// Lends streams beyond a download's first; who has more streams than transfers waiting lends. Used on one transfer thread.
package protocol StreamLender: AnyObject {
  /// True = one more stream may run, until `giveBackStream`.
  func lendStream() -> Bool
  func giveBackStream()
  /// Whether a transfer waits for what was lent.
  var wantsStreamsBack: Bool { get }
}
