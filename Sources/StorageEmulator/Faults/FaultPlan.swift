// The faults of one request, sorted by where in the making of an answer they take effect.

import TransferModel

/// What to do differently for one request; empty for nearly all.
struct FaultPlan {
  // While the answer is made.
  var status: (code: Int, retryAfter: FaultAction.RetryAfter?, body: FaultAction.FaultBody?)?
  var redirect: (code: Int, target: FaultAction.RedirectTarget)?
  var authorization: (expected: String, otherwise: Int)?
  var range: FaultAction.RangeFault?
  var coding: FaultAction.CodingFault?
  var swapAtByte: (position: Int64, with: String?)?
  var swap: (with: String?, Void)?
  var list: FaultAction.ListFault?
  /// On the facts of the object: its hashes and its generation, in headers and JSON alike.
  var facts: [FaultAction] = []

  // On the finished answer's header fields, in order.
  var fields: [FaultAction] = []
  var dateOffset: Duration?

  // On the way out.
  var delay: Duration?
  var keepAlive: (requests: Int, silently: Bool)?
  var wire = WireFaults()

  init(_ actions: [FaultAction], isHead: Bool) {
    for action in actions {
      if case .onHead(let inner) = action {
        if isHead { add(inner) }
      } else {
        add(action)
      }
    }
  }

  private mutating func add(_ action: FaultAction) {
    switch action {
    case .status(let code, let retryAfter, let body): status = (code, retryAfter, body)
    case .redirect(let code, let target): redirect = (code, target)
    case .requireAuthorization(let expected, let otherwise): authorization = (expected, otherwise)
    case .range(let fault): range = fault
    case .contentEncoding(let fault): coding = fault
    case .swapAtByte(let position, let other): swapAtByte = (position, other)
    case .swap(let other): swap = (other, ())
    case .list(let fault): list = fault
    case .dateOffset(let offset): dateOffset = offset
    case .delay(let delay): self.delay = delay
    case .keepAlive(let requests, let silently): keepAlive = (requests, silently)
    case .generation, .hash: facts.append(action)
    case .etag, .lastModified, .setHeader, .addHeader, .removeHeader, .hugeHeader:
      fields.append(action)
    case .stall, .throttle, .contentLength, .chunked, .closeDelimited, .cut, .reset, .emptyReply, .trailer,
      .informational, .garbage:
      wire.add(action)
    case .onHead(let inner): add(inner)
    }
  }
}

/// The faults that the HTTP library would not let through, so that the answer is written to the socket by us.
struct WireFaults {
  var stall: (after: Int64, duration: Duration?)?
  var throttle: Int64?
  var length: FaultAction.LengthFault?
  var isChunked = false
  var isCloseDelimited = false
  var cut: Int64?
  var reset: Int64?
  var isEmptyReply = false
  var hasTrailer = false
  var informational: Int?
  var isGarbage = false
  /// Anything of the above.
  private(set) var isNeeded = false

  mutating func add(_ action: FaultAction) {
    isNeeded = true
    switch action {
    case .stall(let after, let duration): stall = (after, duration)
    case .throttle(let rate): throttle = rate
    case .contentLength(let fault): length = fault
    case .chunked: isChunked = true
    case .closeDelimited: isCloseDelimited = true
    case .cut(let count): cut = count
    case .reset(let count): reset = count
    case .emptyReply: isEmptyReply = true
    case .trailer: (hasTrailer, isChunked) = (true, true)
    case .informational(let code): informational = code
    case .garbage: isGarbage = true
    default: break
    }
  }
}
