// libcurl's result codes as the project's kinds of fault: one table. Pure, and numbers only, so that a test can walk it.

import Glibc
import TransferModel

/// What is known about a transfer that failed.
struct CurlFault {
  /// A `CURLcode` (libcurl-errors(3)).
  var code: UInt32
  /// The `errno` of the failed connect or socket call; 0 when there was none.
  var systemError: Int32 = 0
  /// Whether any byte of the request went out: a connection, with TLS when asked for, stood.
  var requestWasSent = false
  /// Whether any byte of the response came.
  var responseHadBegun = false
  var connectionWasReused = false
  /// Whether libcurl complained about chunk framing, for which it has no code of its own.
  var chunkFramingBroke = false
  /// The status of a proxy's answer to CONNECT; 0 when there was none.
  var proxyConnectStatus = 0

  /// | code                       | when                                         | kind              |
  /// | -------------------------- | -------------------------------------------- | ----------------- |
  /// | any                        | the proxy refused CONNECT                    | proxy             |
  /// | 27 out of memory           | the request was sent                         | protocolViolation |
  /// | 28 operation timed out     | request not sent yet                         | connectTimeout    |
  /// |                            | otherwise                                    | stalled           |
  /// | 52 got nothing             | interim heads (1xx) came                     | truncated         |
  /// |                            | otherwise                                    | emptyReply        |
  /// | 56 receive                 | a broken chunk                               | protocolViolation |
  /// | 55 send, 56 receive        | nothing of the response, connection reused   | emptyReply        |
  /// |                            | otherwise                                    | connectionReset   |
  /// | 7 could not connect        | by `errno`                                   | see `connectKind` |
  /// | the rest                   |                                              | see `plainKind`   |
  ///
  /// 27 is what libcurl 7.88 says to a header line of more than 100 KiB or a trailer of more than 4 KiB, which a server
  /// chooses: taken for this machine's memory, one server could end the run.
  ///
  /// libcurl itself sends a request again, once, when a reused connection is closed before the first byte
  /// (`Curl_retry_request`); what arrives here as `emptyReply` failed after that, or had a body.
  var kind: TransportFault.Kind {
    if proxyConnectStatus != 0 && !(200...299).contains(proxyConnectStatus) { return .proxy }
    switch code {
    case 7: return Self.connectKind(systemError)
    case 27 where requestWasSent: return .protocolViolation
    case 28: return requestWasSent ? .stalled : .connectTimeout
    case 52: return responseHadBegun ? .truncated : .emptyReply
    case 56 where chunkFramingBroke: return .protocolViolation
    case 55, 56: return connectionWasReused && !responseHadBegun ? .emptyReply : .connectionReset
    default: return Self.plainKind(code)
    }
  }

  private static func connectKind(_ systemError: Int32) -> TransportFault.Kind {
    switch systemError {
    case EMFILE, ENFILE: .tooManyOpenFiles
    case ENOMEM, ENOBUFS: .outOfMemory
    case ETIMEDOUT: .connectTimeout
    case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL, EAFNOSUPPORT, EACCES, EPERM: .unreachable
    case ECONNRESET: .connectionReset
    default: .connectionRefused
    }
  }

  private static func plainKind(_ code: UInt32) -> TransportFault.Kind {
    switch code {
    // Or the name server does not answer: `NameProbe` finds out.
    case 6: .nameNotFound
    case 5, 97: .proxy
    // 1 is what libcurl 7.88 says to a reply without a status line (HTTP/0.9); no other scheme gets this far.
    case 1, 8, 61, 63, 88: .protocolViolation
    case 16, 92, 95: .streamReset
    case 18: .truncated
    case 27: .outOfMemory
    case 35, 53, 54, 58, 59, 64, 66, 80, 96, 98: .tlsHandshake
    case 60, 77, 82, 83, 90, 91: .certificate
    default: .other
    }
  }
}
