// What libcurl calls while it works on a handle, and how that reaches the handler. All of it on the loop's thread,
// from within a libcurl call that `CurlLoop` makes.

import CCurl
import Glibc
import TransferModel

let receiveHeaderLine: ccurl_data_callback = { bytes, size, count, context in
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return Unmanaged<ExchangeSlot>.fromOpaque(context).takeUnretainedValue().receiveHeaderLine(line) ? line.count : 0
}

let receiveBody: ccurl_data_callback = { bytes, size, count, context in
  let chunk = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return Unmanaged<ExchangeSlot>.fromOpaque(context).takeUnretainedValue().receiveBody(chunk)
}

/// libcurl 7.88 makes sockets that a started program would inherit; these are closed on exec. The error is kept because
/// libcurl says only that it could not connect.
let openSocket: ccurl_socket_callback = { context, _, address in
  let kind = Int32(SOCK_CLOEXEC.rawValue) | address.pointee.socktype
  let descriptor = socket(address.pointee.family, kind, address.pointee.protocol)
  if descriptor < 0 {
    let error = errno
    Unmanaged<ExchangeSlot>.fromOpaque(context).takeUnretainedValue().socketError = error
  }
  return descriptor
}

extension ExchangeSlot {
  /// False ends the transfer.
  fileprivate func receiveHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
    guard ending == nil else { return false }
    // After the head libcurl calls for trailer fields, which are never merged.
    guard framing == nil else { return true }
    responseHadBegun = true
    switch head.append(line) {
    case .incomplete: return true
    case .tooLarge: return refuse(.tooLarge)
    case .complete: break
    }
    do throws(HeadViolation) {
      let parsed = try head.parse()
      if parsed.isInterim {
        head.clear()
        return true
      }
      let isFramed = parsed.isFramed(answering: method)
      framing = (isFramed, parsed.majorVersion, parsed.head.status)
      loop.admission.note(origin, majorVersion: parsed.majorVersion)
      if !isFramed { awaitFarewell() }
      return deliver { handler, loop in handler.exchangeDidReceive(parsed.head, on: loop) }
    } catch {
      return refuse(error)
    }
  }

  /// The number of bytes taken; anything but their count ends the transfer or, if it is the pause mark, halts it.
  fileprivate func receiveBody(_ chunk: UnsafeRawBufferPointer) -> Int {
    guard ending == nil else { return 0 }
    // libcurl hands out what it read in pieces of 16 KiB and does not look at the pause flag between them; pieces that
    // are answered with this mark come again after the pause.
    guard !isPaused else { return Int(CURL_WRITEFUNC_PAUSE) }
    bytesReceived += Int64(chunk.count)
    return deliver { handler, loop in handler.exchangeDidReceive(chunk, on: loop) } ? chunk.count : 0
  }

  private func refuse(_ violation: HeadViolation) -> Bool {
    ending = .violation(violation.rawValue)
    return false
  }

  /// False when the transfer is to end.
  private func deliver(_ call: (any ExchangeHandler, CurlLoop) -> BodyVerdict) -> Bool {
    guard let handler else { return false }
    isInCallback = true
    let verdict = call(handler, loop)
    isInCallback = false
    // The handler may have cancelled from within.
    guard ending == nil else { return false }
    switch verdict {
    case .proceed:
      return true
    case .stop:
      ending = .stopped
      return false
    case .pause:
      isPaused = true
      // Keeps the end of the exchange back, too, when these were the last bytes.
      guard curl_easy_pause(easy, CURLPAUSE_RECV) == CURLE_OK else {
        ending = .broken("the transfer could not be paused")
        return false
      }
      return true
    }
  }
}
