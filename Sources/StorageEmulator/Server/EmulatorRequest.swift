// One request as the server saw it: what the log keeps and what an answer is made from.

package import TransferModel

/// A request, complete with its body.
package struct EmulatorRequest: Sendable {
  /// Counts all requests since the start or the last clearing of the log, from 1.
  package var number: Int
  package var method: String
  package var target: RequestTarget
  /// In the order in which they were sent, repeated names included.
  package var fields: HTTPFields
  package var body: [UInt8]
  /// Counts the connections since the server's start, from 1.
  package var connection: Int
  /// Counts the requests on this connection, from 1.
  package var numberOnConnection: Int
  package var time: Timestamp

  var isHead: Bool { method == "HEAD" }
  var isRead: Bool { method == "GET" || method == "HEAD" }
}
