// One request on its way through libmicrohttpd, and the connection it came over.

import CMicroHTTPD
import TransferModel

/// Lives from the request line to the end of the answer; touched by the connection's own thread only, except that a
/// worker sets `stage` while the connection is suspended.
final class Exchange {
  enum Stage {
    /// The head is there, but the library wants to be answered once without one.
    case begun
    case receiving
    /// Ready to be queued, after a delay.
    case ready(Delivery)
    /// Written by a worker; the connection is to be closed.
    case finished
  }

  let target: String
  var stage = Stage.begun
  var body: [UInt8] = []

  init(target: String) { self.target = target }
}

/// Counts the requests of one connection; touched by the connection's own thread only.
final class ConnectionRecord {
  let number: Int
  var requests = 0

  init(number: Int) { self.number = number }
}

/// What is to be sent, and how.
struct Delivery {
  var answer: EmulatorAnswer
  var delay: Duration?
  var wire = WireFaults()
  /// The connection ends after this answer.
  var closes = false
  /// ... and does not say so.
  var closesSilently = false
  var isHead = false

  /// Whether libmicrohttpd would not send it as it is: it insists on right framing and drops empty fields.
  var isBeyondTheLibrary: Bool {
    wire.isNeeded || closesSilently
      || answer.fields.all.contains { field in
        field.value.isEmpty || field.value.utf8.count > 8_192
          || ["content-length", "transfer-encoding", "connection"].contains(field.name.lowercased())
      }
  }
}
