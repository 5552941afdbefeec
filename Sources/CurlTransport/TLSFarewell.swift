// How a TLS connection ended. libcurl 7.88 tells an end that the peer announced (close_notify) from one that just happened
// by nothing: both are the end of the body. OpenSSL knows, and says so to whoever asks it.
//
// Only where libcurl works with OpenSSL, whose library is in the process then; with another library nothing is claimed.

import CCurl
import Glibc

/// OpenSSL's two functions that are needed, found at run time: we link libcurl, and it brings the library it was built for.
enum TLSFarewell {
  typealias Observer = @convention(c) (_ session: OpaquePointer?, _ place: Int32, _ value: Int32) -> Void
  private typealias SetObserver = @convention(c) (_ context: OpaquePointer, _ observer: Observer?) -> Void
  private typealias SetData =
    @convention(c) (_ context: OpaquePointer, _ index: Int32, _ data: UnsafeMutableRawPointer?)
    -> Int32
  private typealias ContextOf = @convention(c) (_ session: OpaquePointer) -> OpaquePointer?
  private typealias GetData = @convention(c) (_ context: OpaquePointer, _ index: Int32) -> UnsafeMutableRawPointer?

  private struct Library: Sendable {
    let setObserver: SetObserver
    let setData: SetData
    let contextOf: ContextOf
    let getData: GetData
  }

  private static let library: Library? = {
    guard let information = curl_version_info(CURLVERSION_FIRST)?.pointee, let name = information.ssl_version,
      String(cString: name).hasPrefix("OpenSSL/"),
      let setObserver = find("SSL_CTX_set_info_callback", as: SetObserver.self),
      let setData = find("SSL_CTX_set_ex_data", as: SetData.self),
      let contextOf = find("SSL_get_SSL_CTX", as: ContextOf.self),
      let getData = find("SSL_CTX_get_ex_data", as: GetData.self)
    else { return nil }
    return Library(setObserver: setObserver, setData: setData, contextOf: contextOf, getData: getData)
  }()

  private static func find<Function>(_ name: String, as type: Function.Type) -> Function? {
    dlsym(nil, name).map { unsafeBitCast($0, to: type) }
  }

  static var isObservable: Bool { library != nil }

  /// The place that OpenSSL keeps for the application (SSL_CTX_set_app_data(3)); libcurl does not use it.
  private static let applicationData: Int32 = 0

  /// Lets `loop` be told of farewells on connections of this context, which do not outlive it.
  static func observe(_ context: UnsafeMutableRawPointer, for loop: UnsafeMutableRawPointer) -> Bool {
    guard let library else { return true }
    let context = OpaquePointer(context)
    guard library.setData(context, applicationData, loop) == 1 else { return false }
    library.setObserver(context, noteAlert)
    return true
  }

  /// SSL_CTX_set_info_callback(3): `SSL_CB_READ_ALERT` is 0x4004; the value has the alert's level and description, and
  /// close_notify is number 0 (RFC 8446 section 6).
  private static let noteAlert: Observer = { session, place, value in
    guard place & 0x4004 == 0x4004, value & 0xFF == 0, let session, let library,
      let context = library.contextOf(session), let loop = library.getData(context, applicationData)
    else { return }
    Unmanaged<CurlLoop>.fromOpaque(loop).takeUnretainedValue().noteFarewell(UnsafeMutableRawPointer(session))
  }
}

let observeTLS: ccurl_tls_callback = { _, context, loop in
  guard let loop else { return CURLE_OK }
  return TLSFarewell.observe(context, for: loop) ? CURLE_OK : CURLE_OUT_OF_MEMORY
}

extension CurlLoop {
  /// On the loop's thread, from within libcurl.
  fileprivate func noteFarewell(_ session: UnsafeMutableRawPointer) {
    for slot in running.all where slot.awaitedFarewell == session { slot.sawFarewell = true }
  }
}

extension ExchangeSlot {
  func watchFarewells(_ options: inout OptionWriter) {
    guard TLSFarewell.isObservable else { return }
    options.set(onTLS: observeTLS, context: Unmanaged.passUnretained(loop).toOpaque())
  }

  /// From the head on that announces a body without a marked end.
  func awaitFarewell() {
    guard TLSFarewell.isObservable, origin.scheme == .https else { return }
    awaitedFarewell = ccurl_tls_session(easy)
  }
}
