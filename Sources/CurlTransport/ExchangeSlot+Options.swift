// Which options a handle is given: once when it is made, and again only where a request differs from the one before.
//
// A handle is never reset, so everything set for one request is still there for the next. The sticky options are those
// of `StickyOptions`, and each is set anew or known to be unchanged in `prepare`. `CURLOPT_RANGE`, `CURLOPT_USERPWD`,
// `CURLOPT_COOKIE`, `CURLOPT_REFERER` and the like are never used: such things arrive as header fields.

import CCurl
import TransferModel

/// What a handle still holds of its last request.
struct StickyOptions {
  var address = WireAddress.unknown
  /// Outlives the handle, which does not copy it.
  var site: ParsedURL?
  var speaksHTTP2: Bool?
  /// nil = unknown, must be set. A method with a body is always set anew.
  var method: HTTPRequest.Method?
  var timeouts: TransferTimeouts?
  /// nil = unknown, must be set.
  var usesProxy: Bool?
  var wantsNewConnection = false
  var avoidsIPv6 = false
  /// What `list` was built from.
  var fields: [HTTPFields.Field]?
  var listIsForBody = false
  /// `CURLOPT_HTTPHEADER` is not copied: the list lives until the handle has another one.
  var list: UnsafeMutablePointer<curl_slist>?

  mutating func freeLists() {
    curl_slist_free_all(list)
    list = nil
  }
}

extension HTTPRequest.Method {
  var hasBody: Bool { self == .post || self == .patch || self == .put }
}

extension ExchangeSlot {
  /// Options that are the same for every request.
  func setConstantOptions() -> CURLcode {
    let context = Unmanaged.passUnretained(self).toOpaque()
    var options = OptionWriter(easy)
    options.set(CURLOPT_PRIVATE, pointer: context)
    options.set(CURLOPT_ERRORBUFFER, pointer: errorText)
    options.set(CURLOPT_WRITEFUNCTION, callback: receiveBody)
    options.set(CURLOPT_WRITEDATA, pointer: context)
    options.set(CURLOPT_HEADERFUNCTION, callback: receiveHeaderLine)
    options.set(CURLOPT_HEADERDATA, pointer: context)
    options.set(openSocket: openSocket)
    options.set(CURLOPT_OPENSOCKETDATA, pointer: context)
    options.set(CURLOPT_NOSIGNAL, 1)
    options.set(CURLOPT_PATH_AS_IS, 1)
    options.set(CURLOPT_FOLLOWLOCATION, 0)
    options.set(CURLOPT_HTTP_CONTENT_DECODING, 0)
    options.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    options.set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    options.set(CURLOPT_PROTOCOLS_STR, text: "http,https")
    // A proxy that is asked to connect is told by libcurl itself. Elsewhere the line goes with the others, where libcurl
    // prints it once and not twice (2,000 instructions a request).
    if mayMeetProxy { options.set(CURLOPT_USERAGENT, text: loop.configuration.userAgent) }
    options.set(CURLOPT_BUFFERSIZE, kind.buffer.bytes)
    setTrust(&options)
    setConnection(&options)
    watchFarewells(&options)
    return options.result
  }

  /// Chosen certificates stand in place of the system's, so its folder of certificates is left out with them. It is left
  /// out as well when the system has all of them in one file: with a folder, libcurl 7.88 reads the lot again for every
  /// connection (measured: 20 ms of CPU), without one it keeps them (CURLOPT_CA_CACHE_TIMEOUT(3)).
  private func setTrust(_ options: inout OptionWriter) {
    if let path = kind.connection?.authorityPath {
      options.set(CURLOPT_CAINFO, text: path)
      options.set(CURLOPT_CAPATH, text: nil)
    } else if let pem = loop.trustedPEM {
      options.set(caPEM: pem)
      options.set(CURLOPT_CAPATH, text: nil)
    } else if let path = loop.configuration.caBundlePath {
      options.set(CURLOPT_CAINFO, text: path)
      options.set(CURLOPT_CAPATH, text: nil)
    } else if loop.hasSystemBundle {
      options.set(CURLOPT_CAPATH, text: nil)
    }
  }

  /// What is special about the handle's hosts. Handles of other hosts never have it, as they are kept apart.
  private func setConnection(_ options: inout OptionWriter) {
    guard let connection = kind.connection else { return }
    if let certificate = connection.certificatePath {
      options.set(CURLOPT_SSLCERT, text: certificate)
      options.set(CURLOPT_SSLKEY, text: connection.keyPath ?? certificate)
      // Without one, OpenSSL would ask for a pass phrase at the terminal.
      options.set(CURLOPT_KEYPASSWD, text: "")
    }
    if case .via(let url)? = connection.proxy { options.set(CURLOPT_PROXY, text: url) }
  }

  /// The hosts without a proxy: nil = those of the environment, empty = none, `*` = all, which spares libcurl five looks
  /// into the environment where there is no proxy.
  private var noProxy: String? {
    switch kind.connection?.proxy {
    case .direct: "*"
    case .via: ""
    case nil: loop.environmentHasProxy ? nil : "*"
    }
  }

  /// Options of one request.
  func prepare(_ request: HTTPRequest) -> CURLcode {
    var options = OptionWriter(easy)
    setAddress(request, &options)
    setVersion(speaksHTTP2: request.url.origin.scheme == .https && !request.avoidsHTTP2, &options)
    setMethod(request, &options)
    setTimeouts(request.timeouts, &options)
    setProxy(request, &options)
    setReuse(request, &options)
    setFamily(of: request.url.origin.host, &options)
    setFields(request, &options)
    return options.result
  }

  /// Frees the copy of a request body, which may hold a token, as soon as it has served.
  func forgetBody() {
    guard method.hasBody else { return }
    // Setting it makes the method POST, whatever it was.
    sticky.method = nil
    _ = ccurl_set_text(easy, CURLOPT_POSTFIELDS, nil)
  }

  private func setVersion(speaksHTTP2: Bool, _ options: inout OptionWriter) {
    guard sticky.speaksHTTP2 != speaksHTTP2 else { return }
    sticky.speaksHTTP2 = speaksHTTP2
    // Over https HTTP/2 is offered, and a request rather waits to learn whether a connection can be shared than opens
    // its own. Over http there is nothing to wait for.
    options.set(CURLOPT_HTTP_VERSION, speaksHTTP2 ? Int(CURL_HTTP_VERSION_2TLS) : Int(CURL_HTTP_VERSION_1_1))
    options.set(CURLOPT_PIPEWAIT, speaksHTTP2 ? 1 : 0)
  }

  private func setMethod(_ request: HTTPRequest, _ options: inout OptionWriter) {
    if request.method.hasBody {
      options.set(CURLOPT_POST, 1)
      options.set(copyingBody: request.body)
      options.set(CURLOPT_CUSTOMREQUEST, text: request.method.rawValue)
      sticky.method = nil
      return
    }
    guard sticky.method != request.method else { return }
    sticky.method = request.method
    options.set(CURLOPT_HTTPGET, 1)
    if request.method == .head { options.set(CURLOPT_NOBODY, 1) }
    options.set(CURLOPT_CUSTOMREQUEST, text: request.method == .delete ? "DELETE" : nil)
  }

  /// libcurl counts a transfer as too slow when it stays below the limit for the whole time, in whole seconds; a limit
  /// of 1 means that no byte comes. The time runs while a transfer sends, waits for the head, or receives, and not
  /// while it is paused or waits for a connection (lib/speedcheck.c).
  private func setTimeouts(_ timeouts: TransferTimeouts, _ options: inout OptionWriter) {
    guard sticky.timeouts != timeouts else { return }
    sticky.timeouts = timeouts
    options.set(CURLOPT_CONNECTTIMEOUT_MS, Int(min(max(1, timeouts.connect.inMilliseconds), Int64(Int32.max))))
    options.set(CURLOPT_LOW_SPEED_LIMIT, Int(max(1, timeouts.minimumRate)))
    let seconds = (timeouts.idle.inMilliseconds + 999) / 1_000
    options.set(CURLOPT_LOW_SPEED_TIME, Int(min(max(1, seconds), 1_000_000)))
  }

  /// With nil, libcurl takes the proxy and the hosts without one from the environment (CURLOPT_PROXY(3)).
  private func setProxy(_ request: HTTPRequest, _ options: inout OptionWriter) {
    guard sticky.usesProxy != request.usesProxy else { return }
    sticky.usesProxy = request.usesProxy
    options.set(CURLOPT_NOPROXY, text: request.usesProxy ? noProxy : "*")
  }

  /// A connection of HTTP/2 outlives the streams that stalled on it, so that a request that is sent again has to be kept
  /// off it.
  private func setReuse(_ request: HTTPRequest, _ options: inout OptionWriter) {
    guard sticky.wantsNewConnection != request.wantsNewConnection else { return }
    sticky.wantsNewConnection = request.wantsNewConnection
    options.set(CURLOPT_FRESH_CONNECT, request.wantsNewConnection ? 1 : 0)
  }

  private func setFamily(of host: String, _ options: inout OptionWriter) {
    let avoidsIPv6 = loop.families.avoidsIPv6(host)
    guard sticky.avoidsIPv6 != avoidsIPv6 else { return }
    sticky.avoidsIPv6 = avoidsIPv6
    options.set(CURLOPT_IPRESOLVE, avoidsIPv6 ? Int(CURL_IPRESOLVE_V4) : Int(CURL_IPRESOLVE_WHATEVER))
  }

  private func setFields(_ request: HTTPRequest, _ options: inout OptionWriter) {
    let fields = request.fields.all
    let hasBody = request.method.hasBody
    if let known = sticky.fields, sticky.listIsForBody == hasBody, Self.sameBytes(known, fields) { return }
    var list = HeaderList()
    if !mayMeetProxy { list.append("User-Agent: \(loop.configuration.userAgent)") }
    for field in fields {
      // `Name;` is libcurl's notation for a field with an empty value; `Name:` would take the field away.
      list.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    if hasBody {
      // Neither a wait for `100 Continue` nor a type that nobody chose.
      list.append("Expect:")
      if request.fields["Content-Type"] == nil { list.append("Content-Type:") }
    }
    guard list.isComplete, options.set(CURLOPT_HTTPHEADER, list: list.first) else {
      curl_slist_free_all(list.first)
      return options.note(CURLE_OUT_OF_MEMORY)
    }
    sticky.freeLists()
    sticky.list = list.first
    sticky.fields = fields
    sticky.listIsForBody = hasBody
  }

  private static func sameBytes(_ left: [HTTPFields.Field], _ right: [HTTPFields.Field]) -> Bool {
    left.count == right.count
      && zip(left, right).allSatisfy {
        $0.name.hasSameBytes(as: $1.name) && $0.value.hasSameBytes(as: $1.value)
      }
  }
}

private struct HeaderList {
  private(set) var first: UnsafeMutablePointer<curl_slist>?
  private(set) var isComplete = true

  mutating func append(_ line: String) {
    guard isComplete else { return }
    if let longer = curl_slist_append(first, line) { first = longer } else { isComplete = false }
  }
}
