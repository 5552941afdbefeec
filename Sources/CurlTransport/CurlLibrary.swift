// libcurl's process-wide set-up, done once. Nothing of a single transfer.

import CCurl
import Glibc

enum CurlLibrary {
  /// `CURLOPT_NOSIGNAL` keeps libcurl from touching SIGPIPE for each transfer (7 `rt_sigaction` a file were measured in
  /// curl without it), so the process must ignore it (libcurl-thread(3)).
  private static let outcome: CURLcode = {
    signal(SIGPIPE, SIG_IGN)
    return curl_global_init(Int(CURL_GLOBAL_DEFAULT))
  }()

  static func require() throws(CurlTransport.SetupFailure) {
    guard outcome == CURLE_OK else {
      throw CurlTransport.SetupFailure(call: "curl_global_init", reason: String(cString: curl_easy_strerror(outcome)))
    }
  }

  /// Whether libcurl would find a proxy in the environment (CURLOPT_PROXY(3)); it would look for each transfer anew.
  static var environmentHasProxy: Bool { proxyVariables.contains { getenv($0) != nil } }

  private static let proxyVariables: [String] = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

  /// Whether the file of trusted certificates that libcurl was built for is there.
  static func hasSystemBundle() -> Bool {
    guard let easy = curl_easy_init() else { return false }
    defer { curl_easy_cleanup(easy) }
    var path: UnsafeMutablePointer<CChar>?
    guard ccurl_get_text(easy, CURLINFO_CAINFO, &path) == CURLE_OK, let path else { return false }
    return access(path, R_OK) == 0
  }
}
