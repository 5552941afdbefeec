// Requests and response heads as values. No bodies: those pass through `ExchangeHandler` as they arrive.

/// Header fields in the order in which they were sent; names are compared without regard to case (RFC 9110 section 5.1).
package struct HTTPFields: Sendable, Equatable {
  package struct Field: Sendable, Equatable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Those that were put together here; empty when there is `received`.
  private var made: [Field]
  /// Those of a response, until something is changed about them.
  private var received: ReceivedFields?
  /// A bit for each name that is there, and for others that share it: most lookups are for names that are not.
  private var present: UInt64 = 0

  package init(_ fields: [Field] = []) {
    made = fields
    for field in fields { present |= Self.bit(field.name) }
  }

  package init(_ received: ReceivedFields) {
    made = []
    self.received = received
    present = received.present
  }

  package var all: [Field] { received?.all ?? made }

  package mutating func append(_ name: String, _ value: String) {
    if let received {
      made = received.all
      self.received = nil
    }
    made.append(Field(name, value))
    present |= Self.bit(name)
  }

  package mutating func removeAll(keepingCapacity: Bool = true) {
    made.removeAll(keepingCapacity: keepingCapacity)
    received = nil
    present = 0
  }

  package static func == (left: HTTPFields, right: HTTPFields) -> Bool { left.all == right.all }

  /// The first field of that name, blanks trimmed; nil when there is none or it is empty (an emulator sends
  /// `Content-Encoding:` with nothing behind it).
  package subscript(name: String) -> String? {
    guard present & Self.bit(name) != 0,
      let value = received != nil
        ? received?.first(name) : made.first(where: { Self.sameName($0.name, name) })?.value
    else { return nil }
    return value.isEmpty ? nil : value
  }

  /// Lends the bytes of what the subscript gives, of which no text is made.
  func withValue<Result>(of name: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result?) -> Result? {
    guard present & Self.bit(name) != 0 else { return nil }
    guard let received else {
      var value = self[name] ?? ""
      return value.withUTF8 { $0.isEmpty ? nil : body($0) }
    }
    return received.withFirst(name) { $0.isEmpty ? nil : body($0) }
  }

  /// The number that stands in the only field of that name; nil when there is another field of it, or something else in it.
  package func soleNumber(_ name: String) -> Int64? {
    guard present & Self.bit(name) != 0 else { return nil }
    if let received { return received.withSole(name) { ASCII.number($0) } }
    let values = values(name)
    return values.count == 1 ? ASCII.number(values[0].utf8) : nil
  }

  /// Every field of that name, in order, empty ones left out.
  package func values(_ name: String) -> [String] {
    guard present & Self.bit(name) != 0 else { return [] }
    if let received { return received.values(name) }
    return made.compactMap { Self.sameName($0.name, name) && !$0.value.isEmpty ? $0.value : nil }
  }

  private static func bit(_ name: String) -> UInt64 {
    bit(first: name.utf8.first ?? 0, count: name.utf8.count)
  }

  /// From the length and the first letter.
  static func bit(first: UInt8, count: Int) -> UInt64 {
    1 << ((UInt64(truncatingIfNeeded: count) &* 7 &+ UInt64(first | 0x20)) & 63)
  }

  private static func sameName(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    // Nearly every server writes a name as the RFC does.
    return left == right || ASCII.equalIgnoringCase(left.utf8, right.utf8)
  }
}

/// How long a transfer may go without making progress. All are measured by the transport.
package struct TransferTimeouts: Hashable, Sendable {
  /// For name resolution, connecting and the TLS handshake together.
  package var connect: Duration
  /// With no byte received, counted from the last one; also the wait for the response head.
  package var idle: Duration
  /// Bytes a second, averaged over `idle`, below which a transfer counts as stalled; 0 turns it off.
  package var minimumRate: Int64

  package init(connect: Duration = .seconds(10), idle: Duration = .seconds(30), minimumRate: Int64 = 1024) {
    self.connect = connect
    self.idle = idle
    self.minimumRate = minimumRate
  }
}

/// One request. Credentials are already in `fields`: they are put in at send time by whoever starts the exchange.
package struct HTTPRequest: Sendable {
  package enum Method: String, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case patch = "PATCH"
    case put = "PUT"
    case delete = "DELETE"
  }

  package var method: Method
  package var url: HTTPURL
  package var fields: HTTPFields
  /// Sent with POST, PATCH and PUT.
  package var body: [UInt8]
  package var timeouts: TransferTimeouts
  /// The number of body bytes that are expected, where known: it chooses the receive buffer. nil = unknown.
  package var expectedBytes: Int64?
  /// Whether the proxy of the environment may carry it; false for services of this very machine.
  package var usesProxy = true
  /// Whether HTTP/1.1 is to be spoken where HTTP/2 could be.
  package var avoidsHTTP2 = false
  /// Whether a connection of its own is made, because the one that there is may be dead.
  package var wantsNewConnection = false

  package init(
    _ method: Method = .get, _ url: HTTPURL, fields: HTTPFields = HTTPFields(), body: [UInt8] = [],
    timeouts: TransferTimeouts = TransferTimeouts(), expectedBytes: Int64? = nil
  ) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
    self.timeouts = timeouts
    self.expectedBytes = expectedBytes
  }
}

/// Status and header fields of the final response: 1xx heads and those of earlier hops are gone, and trailer fields are
/// never merged in.
package struct HTTPResponseHead: Sendable {
  package var status: Int
  package var fields: HTTPFields
  /// `Content-Length`, nil when absent or not a number (RFC 9110 section 8.6).
  package var contentLength: Int64?

  package init(status: Int, fields: HTTPFields = HTTPFields(), contentLength: Int64? = nil) {
    self.status = status
    self.fields = fields
    self.contentLength = contentLength
  }
}
