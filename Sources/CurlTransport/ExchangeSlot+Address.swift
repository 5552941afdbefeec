// Where a handle sends its request: the site, which libcurl is told when it changes, and what is asked for there.
//
// Told the whole URL, libcurl copies, parses and prints it for every request: 14,000 instructions, an eighth of what it does
// with a small file. So the site is given to it parsed (CURLOPT_CURLU), and path and query as they stand
// (CURLOPT_REQUEST_TARGET). Told all of it is libcurl where there may be a proxy, which for plain http wants the whole URL
// as the target (RFC 9112 section 3.2.2), and where letters outside ASCII are to be percent-encoded.

import CCurl
import TransferModel

/// Where libcurl was sent last.
enum WireAddress {
  /// Must be set.
  case unknown
  case whole
  /// The site of this URL.
  case site(HTTPURL)
}

/// libcurl's form of a URL. Only read while a handle has it.
final class ParsedURL {
  let handle: OpaquePointer
  var pointer: UnsafeMutableRawPointer { UnsafeMutableRawPointer(handle) }

  /// nil when libcurl is out of memory.
  init?() {
    guard let handle = curl_url() else { return nil }
    self.handle = handle
  }

  deinit { curl_url_cleanup(handle) }

  func set(_ text: UnsafePointer<CChar>) -> CURLcode {
    switch curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_PATH_AS_IS)) {
    case CURLUE_OK: CURLE_OK
    case CURLUE_OUT_OF_MEMORY: CURLE_OUT_OF_MEMORY
    default: CURLE_URL_MALFORMAT
    }
  }
}

extension ExchangeSlot {
  func setAddress(_ request: HTTPRequest, _ options: inout OptionWriter) {
    if (request.usesProxy && mayMeetProxy) || !request.url.isASCII {
      setWhole(request.url, &options)
      return
    }
    if case .site(let last) = sticky.address, request.url.isBeside(last) {
      setTarget(of: request.url, &options)
      return
    }
    sticky.address = .unknown
    guard let site = sticky.site ?? ParsedURL() else { return options.note(CURLE_OUT_OF_MEMORY) }
    sticky.site = site
    let text = request.url.site.wireText
    options.note(site.set(text))
    options.set(CURLOPT_URL, text: text)
    options.set(CURLOPT_CURLU, pointer: site.pointer)
    setTarget(of: request.url, &options)
    if options.result == CURLE_OK { sticky.address = .site(request.url) }
  }

  /// Whether there is a proxy for the handle's hosts, or may be.
  var mayMeetProxy: Bool {
    switch kind.connection?.proxy {
    case .direct: false
    case .via: true
    case nil: loop.environmentHasProxy
    }
  }

  private func setTarget(of url: HTTPURL, _ options: inout OptionWriter) {
    options.set(CURLOPT_REQUEST_TARGET, text: url.wireText, from: url.pathStart)
  }

  private func setWhole(_ url: HTTPURL, _ options: inout OptionWriter) {
    if case .whole = sticky.address {
    } else {
      options.set(CURLOPT_CURLU, pointer: nil)
      options.set(CURLOPT_REQUEST_TARGET, text: nil)
      sticky.address = .whole
    }
    options.set(CURLOPT_URL, text: url.wireText)
  }
}
