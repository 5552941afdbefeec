// Which faults are the end of a connection: one that is met before an answer may be of no request of ours.

import TransferModel

extension TransportFault {
  /// Whether the connection went away, as against an answer that was wrong.
  var isConnectionLoss: Bool {
    switch kind {
    case .emptyReply, .connectionReset, .truncated: true
    default: false
    }
  }
}
