// Carries out a `WirePlan` on a socket, on a thread of its own. Ends early when the client goes or the server stops.

import Glibc
import TransferModel

struct WirePlayer {
  /// A duplicate of the connection's descriptor, non-blocking; not closed here.
  let socket: Int32
  /// Readable once the server stops.
  let stop: Int32

  func play(_ plan: WirePlan) {
    for step in plan.steps {
      switch step {
      case .bytes(let bytes): guard send(bytes[...]) else { return }
      case .pause(let duration): guard pause(duration) else { return }
      case .content(let piece, let isChunked): guard send(piece, isChunked: isChunked, rate: plan.rate) else { return }
      }
    }
    switch plan.ending {
    case .close: shutdown(socket, Int32(SHUT_WR))
    case .reset: reset()
    }
  }

  private func send(_ piece: BodyPiece, isChunked: Bool, rate: Int64?) -> Bool {
    var offset = piece.offset
    let end = piece.offset + piece.length
    while offset < end {
      let count = Int(min(64 << 10, end - offset))
      guard let bytes = piece.content.bytes(at: offset, count: count) else { return false }
      let framed = isChunked ? Array("\(String(count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8) : bytes
      guard send(framed, rate: rate) else { return false }
      offset += Int64(count)
    }
    return true
  }

  private func send(_ bytes: [UInt8], rate: Int64?) -> Bool {
    guard let rate else { return send(bytes[...]) }
    // Twenty portions a second.
    let portion = max(1, Int(rate / 20))
    var index = 0
    while index < bytes.count {
      let end = min(index + portion, bytes.count)
      guard send(bytes[index..<end]), pause(.milliseconds(1_000 * (end - index) / Int(rate))) else { return false }
      index = end
    }
    return true
  }

  private func send(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.withUnsafeBytes { buffer in
      var done = 0
      while done < buffer.count, let base = buffer.baseAddress {
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        let sent = Glibc.send(socket, base + done, buffer.count - done, flags)
        if sent >= 0 {
          done += sent
        } else if errno == EAGAIN {
          guard wait(for: Int16(POLLOUT), milliseconds: -1) else { return false }
        } else if errno != EINTR {
          return false
        }
      }
      return true
    }
  }

  /// False when the client went away or the server stops before the time is over.
  private func pause(_ duration: Duration?) -> Bool {
    guard let duration else {
      _ = wait(for: Self.hangUp, milliseconds: -1)
      return false
    }
    let end = ContinuousClock.now + duration
    while true {
      let left = end - ContinuousClock.now
      guard left > .zero else { return true }
      var watched = [
        pollfd(fd: socket, events: Self.hangUp, revents: 0), pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
      ]
      let ready = poll(&watched, 2, Int32(min(60_000, left.inMilliseconds + 1)))
      if ready > 0 { return false }
      if ready < 0, errno != EINTR { return false }
    }
  }

  /// False when the server stops, or waiting fails.
  private func wait(for events: Int16, milliseconds: Int32) -> Bool {
    var watched = [pollfd(fd: socket, events: events, revents: 0), pollfd(fd: stop, events: Int16(POLLIN), revents: 0)]
    while true {
      let ready = poll(&watched, 2, milliseconds)
      if ready < 0, errno == EINTR { continue }
      return ready > 0 && watched[1].revents == 0
    }
  }

  /// Sends RST once what was written has arrived: dissolving the association of a TCP socket does that (connect(2),
  /// AF_UNSPEC). Were it sent at once, the kernel would throw away what it has not sent yet.
  private func reset() {
    for _ in 0..<200 {
      var unsent: Int32 = 0
      guard ioctl(socket, UInt(TIOCOUTQ), &unsent) == 0, unsent > 0 else { break }
      usleep(5_000)
    }
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    var nowhere = sockaddr()
    nowhere.sa_family = sa_family_t(AF_UNSPEC)
    connect(socket, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
  }

  /// POLLRDHUP, which the C module does not show.
  private static let hangUp: Int16 = 0x2000
}
