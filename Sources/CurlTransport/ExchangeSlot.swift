// One libcurl easy handle and the exchange that it carries at the moment. Belongs to one loop and its thread.
// Which options the handle gets is in `ExchangeSlot+Options`; what libcurl calls back is in `ExchangeSlot+Callbacks`.

import CCurl
import Glibc
import TransferModel

/// Made once, used for many exchanges one after the other: `curl_easy_reset` and setting all again was measured at
/// 3,000 instructions a transfer, a new handle at 14,000.
final class ExchangeSlot {
  /// Why the slot itself wants its transfer to end; wins over libcurl's code.
  enum Ending {
    case stopped
    case cancelled
    /// The response breaks the rules.
    case violation(String)
    /// libcurl itself failed.
    case broken(String)
  }

  /// libcurl ties its receive buffer to the handle, so that handles come in two sizes.
  enum Buffer {
    /// For bodies that are known to be small.
    case small
    /// Doubles the throughput of big bodies against 16 KiB.
    case large

    var bytes: Int { self == .small ? 32 << 10 : 512 << 10 }

    init(expecting bytes: Int64?) {
      self = bytes.map { $0 <= 64 << 10 } == true ? .small : .large
    }
  }

  /// What a handle keeps for as long as it lives.
  struct Kind: Hashable {
    let buffer: Buffer
    /// What makes the handle's hosts special; nil = nothing.
    let connection: CurlTransport.HostConnection?
  }

  let easy: UnsafeMutableRawPointer
  let kind: Kind
  /// libcurl writes at most `CURL_ERROR_SIZE` bytes with the end mark.
  let errorText: UnsafeMutablePointer<CChar>
  unowned let loop: CurlLoop

  // What the handle holds of the last request; see `ExchangeSlot+Options`.
  var sticky = StickyOptions()

  // The exchange; meaningful while `handler` is there.
  var id = ExchangeID(0)
  /// Where it stands in `RunningSlots`.
  var place = 0
  var origin = Origin(scheme: .http, host: "")
  var method = HTTPRequest.Method.get
  private(set) var handler: (any ExchangeHandler)?
  let head = HeadBuffer()
  var responseHadBegun = false
  /// The final head, without its fields, once it was delivered.
  var framing: (isFramed: Bool, majorVersion: Int, status: Int)?
  /// The TLS session whose farewell ends the body; nil = there is none, or it is not looked at.
  var awaitedFarewell: UnsafeMutableRawPointer?
  var sawFarewell = false
  var bytesReceived: Int64 = 0
  var isPaused = false
  var isInCallback = false
  var ending: Ending?
  /// The `errno` of a socket that could not be made.
  var socketError: Int32 = 0

  /// nil when libcurl is out of memory or refuses an option.
  init?(loop: CurlLoop, _ kind: Kind) {
    guard let easy = curl_easy_init() else { return nil }
    self.easy = easy
    self.kind = kind
    self.loop = loop
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    guard setConstantOptions() == CURLE_OK else { return nil }
  }

  deinit {
    curl_easy_cleanup(easy)
    sticky.freeLists()
    errorText.deallocate()
  }

  /// Takes up an exchange, before the handle is given to the multi handle.
  func attach(_ id: ExchangeID, _ request: HTTPRequest, _ handler: any ExchangeHandler) {
    self.id = id
    self.handler = handler
    origin = request.url.origin
    method = request.method
    head.clear()
    responseHadBegun = false
    framing = nil
    awaitedFarewell = nil
    sawFarewell = false
    bytesReceived = 0
    isPaused = false
    isInCallback = false
    ending = nil
    socketError = 0
    errorText[0] = 0
  }

  /// Lets go of the handler; nothing is delivered after this.
  func detach() -> (any ExchangeHandler)? {
    defer { handler = nil }
    return handler
  }

  /// How the exchange ended, once libcurl is done with it.
  func end(_ code: CURLcode) -> (ExchangeEnd, CurlStatistics) {
    let connections = info(CURLINFO_NUM_CONNECTS)
    let requestWasSent = info(CURLINFO_REQUEST_SIZE) > 0
    let wasReused = connections == 0 && requestWasSent
    let end = ExchangeEnd(
      result: result(code, requestWasSent: requestWasSent, wasReused: wasReused), bytesReceived: bytesReceived,
      lengthWasFramed: framing?.isFramed ?? true, lacksTLSFarewell: awaitedFarewell != nil && !sawFarewell,
      connectionWasReused: wasReused)
    return (
      end, CurlStatistics(connectionsOpened: connections, requestsSent: requestWasSent ? 1 : 0)
    )
  }

  /// How the connection was made that the exchange made; nil when it made none.
  func newConnection() -> (overIPv4: Bool, took: Duration)? {
    guard info(CURLINFO_NUM_CONNECTS) > 0 else { return nil }
    var address: UnsafeMutablePointer<CChar>?
    var looked: curl_off_t = 0
    var connected: curl_off_t = 0
    guard ccurl_get_text(easy, CURLINFO_PRIMARY_IP, &address) == CURLE_OK, let address,
      ccurl_get_large(easy, CURLINFO_NAMELOOKUP_TIME_T, &looked) == CURLE_OK,
      ccurl_get_large(easy, CURLINFO_CONNECT_TIME_T, &connected) == CURLE_OK, connected > 0
    else { return nil }
    return (
      strchr(address, Int32(UInt8(ascii: "."))) != nil && strchr(address, Int32(UInt8(ascii: ":"))) == nil,
      .microseconds(connected - looked)
    )
  }

  private func result(_ code: CURLcode, requestWasSent: Bool, wasReused: Bool) -> ExchangeEnd.Result {
    switch ending {
    case .stopped: return .aborted
    case .cancelled: return .cancelled
    case .violation(let reason): return .failed(TransportFault(.protocolViolation, detail: reason))
    case .broken(let reason): return .failed(TransportFault(.other, detail: reason))
    case nil: break
    }
    guard code != CURLE_OK else {
      // libcurl 7.88 takes a head that was cut between two of its lines for a complete, empty answer.
      return framing != nil
        ? .complete : .failed(TransportFault(.truncated, detail: "the connection was closed within the response head"))
    }
    var fault = CurlFault(code: code.rawValue)
    fault.systemError = socketError != 0 ? socketError : Int32(truncatingIfNeeded: info(CURLINFO_OS_ERRNO))
    fault.requestWasSent = requestWasSent
    fault.responseHadBegun = responseHadBegun
    fault.connectionWasReused = wasReused
    fault.chunkFramingBroke = String(cString: errorText).hasSuffix("in chunked-encoding")
    fault.proxyConnectStatus = info(CURLINFO_HTTP_CONNECTCODE)
    return .failed(TransportFault(fault.kind, detail: detail(code)))
  }

  /// libcurl's sentence for the case where it wrote one, else for the code. A refused URL is not quoted: it may hold
  /// secrets.
  private func detail(_ code: CURLcode) -> String {
    let general = String(cString: curl_easy_strerror(code))
    let special = String(cString: errorText)
    if code == CURLE_OUT_OF_MEMORY, info(CURLINFO_REQUEST_SIZE) > 0 { return "a header line is too long" }
    return special.isEmpty || code == CURLE_URL_MALFORMAT ? general : special
  }

  private func info(_ which: CURLINFO) -> Int {
    var value = 0
    return ccurl_get_long(easy, which, &value) == CURLE_OK ? value : 0
  }
}
