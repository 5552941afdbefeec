// What is looked at before a request is handed to libcurl, which sends header lines as it gets them. Pure.

import TransferModel

/// Why a request is not sent. The texts name no value: a value may be a secret.
struct RequestViolation: Error, Equatable {
  let reason: String

  /// nil when the request can be sent. A name must be a token and a value must have no line end, NUL or other control
  /// character (RFC 9110 sections 5.1 and 5.5), else one value could add fields or a second request.
  static func found(in request: HTTPRequest) -> RequestViolation? {
    guard request.url.wireText.bytesSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      return RequestViolation(reason: "the URL has a blank or a control character; write it percent-encoded")
    }
    for field in request.fields.all {
      guard !field.name.isEmpty, field.name.bytesSatisfy(isTokenByte) else {
        return RequestViolation(reason: "a request header field has a name that is no token; it was not sent")
      }
      guard field.value.bytesSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
        return RequestViolation(
          reason: "the request header field \(field.name) has a control character; it was not sent")
      }
    }
    return nil
  }

  /// `tchar` (RFC 9110 section 5.6.2).
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
      UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default:
      false
    }
  }
}

extension String {
  /// In place, where the bytes are; as a sequence of UTF-8 they cost five times as much.
  fileprivate func bytesSatisfy(_ isAllowed: (UInt8) -> Bool) -> Bool {
    utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isAllowed) } ?? utf8.allSatisfy(isAllowed)
  }
}
