// Sets options on an easy handle and keeps the first error, so that a row of settings is checked once.

import CCurl

struct OptionWriter {
  private let easy: UnsafeMutableRawPointer
  private(set) var result = CURLE_OK

  init(_ easy: UnsafeMutableRawPointer) { self.easy = easy }

  mutating func set(_ option: CURLoption, _ value: Int) { note(ccurl_set_long(easy, option, value)) }

  mutating func set(_ option: CURLoption, text: String?) { note(ccurl_set_text(easy, option, text)) }

  /// The text behind its first `start` bytes.
  mutating func set(_ option: CURLoption, text: String, from start: Int) {
    note(text.withCString { ccurl_set_text(easy, option, $0 + start) })
  }

  mutating func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) {
    note(ccurl_set_pointer(easy, option, pointer))
  }

  mutating func set(_ option: CURLoption, callback: @escaping ccurl_data_callback) {
    note(ccurl_set_data_callback(easy, option, callback))
  }

  mutating func set(openSocket callback: @escaping ccurl_socket_callback) {
    note(ccurl_set_socket_callback(easy, callback))
  }

  mutating func set(onTLS callback: @escaping ccurl_tls_callback, context: UnsafeMutableRawPointer) {
    note(ccurl_set_tls_callback(easy, callback, context))
  }

  mutating func set(caPEM pem: UnsafeRawBufferPointer) {
    guard let start = pem.baseAddress else { return }
    note(ccurl_set_ca_pem(easy, start, pem.count))
  }

  /// Whether it worked: a list that was not taken is still the caller's.
  mutating func set(_ option: CURLoption, list: UnsafeMutablePointer<curl_slist>?) -> Bool {
    let code = ccurl_set_list(easy, option, list)
    note(code)
    return code == CURLE_OK
  }

  /// libcurl copies as many bytes as were announced before, so the size comes first.
  mutating func set(copyingBody body: [UInt8]) {
    note(ccurl_set_large(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
    // A null pointer would mean that the body is to be read by callback.
    let code =
      body.isEmpty
      ? ccurl_set_text(easy, CURLOPT_COPYPOSTFIELDS, "")
      : body.withUnsafeBytes { ccurl_set_bytes(easy, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) }
    note(code)
  }

  mutating func note(_ code: CURLcode) {
    if result == CURLE_OK { result = code }
  }
}
