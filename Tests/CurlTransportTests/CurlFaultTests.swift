import Glibc
import Testing
import TransferModel

@testable import CurlTransport

/// The table from libcurl's codes to the project's kinds of fault.
@Suite struct CurlFaultTests {
  /// Every code of libcurl 7.88 that this transport can meet, and what it counts as when nothing else is known.
  static let plain: [(codes: [UInt32], kind: TransportFault.Kind)] = [
    ([1, 8, 61, 63, 88], .protocolViolation),
    ([5, 97], .proxy),
    ([6], .nameNotFound),
    ([7], .connectionRefused),
    ([16, 92, 95], .streamReset),
    ([18], .truncated),
    ([27], .outOfMemory),
    ([28], .connectTimeout),
    ([35, 53, 54, 58, 59, 64, 66, 80, 96, 98], .tlsHandshake),
    ([52], .emptyReply),
    ([55, 56], .connectionReset),
    ([60, 77, 82, 83, 90, 91], .certificate),
  ]

  @Test(arguments: 0..<130 as Range<UInt32>)
  func `every code has a kind`(_ code: UInt32) {
    let expected = Self.plain.first { $0.codes.contains(code) }?.kind ?? .other
    #expect(CurlFault(code: code).kind == expected)
  }

  static let known: [(CurlFault, TransportFault.Kind)] = [
    (CurlFault(code: 7, systemError: ECONNREFUSED), .connectionRefused),
    (CurlFault(code: 7, systemError: ENETUNREACH), .unreachable),
    (CurlFault(code: 7, systemError: EHOSTUNREACH), .unreachable),
    (CurlFault(code: 7, systemError: EADDRNOTAVAIL), .unreachable),
    (CurlFault(code: 7, systemError: ETIMEDOUT), .connectTimeout),
    (CurlFault(code: 7, systemError: ECONNRESET), .connectionReset),
    (CurlFault(code: 7, systemError: EMFILE), .tooManyOpenFiles),
    (CurlFault(code: 7, systemError: ENFILE), .tooManyOpenFiles),
    (CurlFault(code: 7, systemError: ENOBUFS), .outOfMemory),
    (CurlFault(code: 27, requestWasSent: true), .protocolViolation),
    (CurlFault(code: 28, requestWasSent: true), .stalled),
    (CurlFault(code: 28, requestWasSent: true, responseHadBegun: true), .stalled),
    (CurlFault(code: 52, requestWasSent: true, responseHadBegun: true), .truncated),
    (CurlFault(code: 55, requestWasSent: true, connectionWasReused: true), .emptyReply),
    (CurlFault(code: 56, requestWasSent: true, connectionWasReused: true), .emptyReply),
    (CurlFault(code: 56, requestWasSent: true, responseHadBegun: true, connectionWasReused: true), .connectionReset),
    (CurlFault(code: 56, requestWasSent: true, responseHadBegun: true, chunkFramingBroke: true), .protocolViolation),
    (CurlFault(code: 56, proxyConnectStatus: 407), .proxy),
    (CurlFault(code: 56, requestWasSent: true, proxyConnectStatus: 200), .connectionReset),
  ]

  @Test(arguments: known)
  func `what is known about a failure sharpens its kind`(_ fault: CurlFault, _ kind: TransportFault.Kind) {
    #expect(fault.kind == kind)
  }

  @Test(
    arguments: [
      (EAI_NONAME, .nameNotFound), (-5, .nameNotFound), (-9, .nameNotFound), (EAI_AGAIN, .nameLookupFailed),
      (EAI_FAIL, .nameLookupFailed), (EAI_SYSTEM, .nameLookupFailed), (EAI_MEMORY, .nameLookupFailed),
      (0, .nameLookupFailed),
    ] as [(Int32, TransportFault.Kind)])
  func `a failed look-up is sorted by what the resolver says`(_ result: Int32, _ kind: TransportFault.Kind) {
    #expect(NameProbe.kind(ofLookup: result) == kind)
  }
}
