// What can go wrong on purpose, as values. The text form is in `FaultScript+Parsing.swift`, the effects are in
// `FaultPlan` and, for what breaks the framing, in `WirePlan`.

package import TransferModel

/// One thing that an answer does differently.
package enum FaultAction: Sendable, Equatable {
  // The status, and where to go.
  case status(Int, retryAfter: RetryAfter? = nil, body: FaultBody? = nil)
  case redirect(Int, RedirectTarget)
  /// Requests without exactly this Authorization get the other status; a valid download token needs none.
  case requireAuthorization(String, otherwise: Int = 401)

  // Header fields.
  case etag(ETagFault)
  /// nil = none.
  case lastModified(String?)
  /// nil = no generation headers.
  case generation(Int64?)
  case hash(HashFault)
  case setHeader(String, String)
  case addHeader(String, String)
  case removeHeader(String)
  /// Moves the Date field.
  case dateOffset(Duration)
  /// One field of that many bytes.
  case hugeHeader(Int)

  // Ranges, coding, versions, lists.
  case range(RangeFault)
  case contentEncoding(CodingFault)
  /// The bytes from there on are those of another version, under the same header.
  case swapAtByte(Int64, with: String? = nil)
  /// The whole answer is that of another version.
  case swap(with: String? = nil)
  case list(ListFault)

  // Pace.
  /// Before the first byte of the answer.
  case delay(Duration)
  /// After that many body bytes; nil = until the client goes or the server stops.
  case stall(after: Int64, for: Duration?)
  /// Bytes a second.
  case throttle(Int64)

  // Framing.
  case contentLength(LengthFault)
  case chunked
  /// HTTP/1.0, without a length; the end is the end of the connection.
  case closeDelimited
  /// Closes after that many body bytes.
  case cut(Int64)
  /// Resets the connection after that many body bytes.
  case reset(Int64)
  /// Closes without a byte.
  case emptyReply
  /// Closes the connection after its Nth request; silently = without announcing it by `Connection: close`.
  case keepAlive(Int, silently: Bool = false)
  case trailer
  /// A 1xx head before the answer.
  case informational(Int)
  /// Bytes that are not HTTP.
  case garbage

  /// Only in answers to HEAD.
  indirect case onHead(FaultAction)

  package enum RetryAfter: Sendable, Equatable {
    case seconds(Int)
    /// As a date, that long after the server's own.
    case date(Duration)
  }

  package enum FaultBody: Sendable, Equatable {
    case html, jsonFirebase, jsonGoogle, xml, empty
    case text(String)
    case bytes(Int)
  }

  package enum RedirectTarget: Sendable, Equatable {
    /// `{target}` and `{port}` are put in.
    case to(String)
    case loop
    /// That many hops, then the object.
    case chain(Int)
  }

  package enum ETagFault: Sendable, Equatable { case strong, weak, none, literal(String) }
  package enum HashFault: Sendable, Equatable { case wrong(DigestAlgorithm), without(DigestAlgorithm), none }
  package enum CodingFault: Sendable, Equatable { case gzip, doubleGzip }
  package enum LengthFault: Sendable, Equatable { case exactly(Int64), off(by: Int64), none }

  package enum RangeFault: Sendable, Equatable {
    case ignore
    /// The range is that much further on, truthfully labelled.
    case shift(Int64)
    /// The range ends that many bytes early, truthfully labelled.
    case short(Int64)
    case noContentRange
    /// 206 even for requests without a range.
    case always206
    case notSatisfiable(withTotal: Bool)
  }

  package enum ListFault: Sendable, Equatable {
    case empty, repeatToken, duplicate
    case emptyPage(Int)
    /// Leaves out that many names at the end of each page.
    case drop(Int)
    case error(Int, page: Int)
  }
}
