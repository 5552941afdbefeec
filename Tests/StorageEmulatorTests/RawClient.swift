// The smallest HTTP client that sees everything: raw targets out, raw heads, framing and ends of connections in.

import Glibc

struct RawResponse {
  enum End {
    /// The body was complete by its own framing, the connection is still open.
    case open
    case closed
    case reset
  }

  /// Heads of 1xx answers that came before.
  var interim: [String] = []
  var head = ""
  var status = 0
  var fields: [(name: String, value: String)] = []
  var body: [UInt8] = []
  /// Whether the body ended as its framing promised; close-delimited bodies always do.
  var isComplete = true
  var trailer = ""
  var end = End.open

  var text: String { String(decoding: body, as: UTF8.self) }

  /// The first field of that name; nil when there is none.
  subscript(name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

/// One connection. Reads time out after five seconds, which a test sees as an incomplete answer.
final class RawClient {
  private let socket: Int32
  private var buffer: [UInt8] = []
  private(set) var end = RawResponse.End.open
  /// How long the first byte of the last answer took.
  private(set) var firstByte = Duration.zero

  init(port: UInt16) throws {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
    var patience = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw Refused(errno: errno) }
  }

  struct Refused: Error {
    var errno: Int32
  }

  deinit { close(socket) }

  func send(_ method: String, _ target: String, _ fields: [String] = [], body: String = "") {
    var text = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    for field in fields { text += field + "\r\n" }
    if !body.isEmpty { text += "Content-Length: \(body.utf8.count)\r\n" }
    let bytes = Array((text + "\r\n" + body).utf8)
    _ = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  func exchange(_ method: String, _ target: String, _ fields: [String] = [], body: String = "") -> RawResponse {
    send(method, target, fields, body: body)
    let started = ContinuousClock.now
    var response = RawResponse()
    if buffer.isEmpty { _ = fill() }
    firstByte = ContinuousClock.now - started
    while let head = takeHead() {
      guard head.hasPrefix("HTTP/1.1 1") else {
        read(&response, head, isHead: method == "HEAD")
        break
      }
      response.interim.append(head)
    }
    if response.head.isEmpty {
      response.body = buffer
      response.isComplete = false
    }
    response.end = end
    return response
  }

  /// Whether the peer ends the connection without being asked anything more.
  func peerCloses() -> Bool { !fill() && end != .open }

  private func read(_ response: inout RawResponse, _ head: String, isHead: Bool) {
    response.head = head
    let lines = head.split(separator: "\r\n").map(String.init)
    let words = (lines.first ?? "").split(separator: " ")
    response.status = words.count > 1 ? Int(words[1]) ?? 0 : 0
    response.fields = lines.dropFirst().map { line in
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      return (String(parts[0]), parts.count > 1 ? String(parts[1].drop { $0 == " " }) : "")
    }
    if isHead || response.status == 304 || response.status == 204 { return }
    if response["Transfer-Encoding"] == "chunked" {
      readChunks(&response)
    } else if let length = response["Content-Length"].flatMap({ Int($0) }) {
      while buffer.count < length, fill() {}
      response.isComplete = buffer.count >= length
      response.body = take(length)
    } else {
      while fill() {}
      response.body = take(.max)
    }
  }

  private func readChunks(_ response: inout RawResponse) {
    while let line = takeLine(), let size = Int(line, radix: 16) {
      if size == 0 {
        while let line = takeLine(), !line.isEmpty { response.trailer += line }
        return
      }
      while buffer.count < size + 2, fill() {}
      response.body += take(min(size, buffer.count))
      _ = take(2)
    }
    response.isComplete = false
  }

  private func takeHead() -> String? {
    var text = ""
    while let line = takeLine() {
      if line.isEmpty { return text }
      text += line + "\r\n"
      if !text.hasPrefix("HTTP/") { return nil }
    }
    return nil
  }

  private func takeLine() -> String? {
    while true {
      if let feed = buffer.firstIndex(of: 0x0A) {
        let line = take(feed + 1)
        return String(decoding: line.dropLast(line.count > 1 && line[line.count - 2] == 0x0D ? 2 : 1), as: UTF8.self)
      }
      guard fill() else { return nil }
    }
  }

  private func take(_ count: Int) -> [UInt8] {
    let taken = Array(buffer.prefix(count))
    buffer.removeFirst(taken.count)
    return taken
  }

  private func fill() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    let got = recv(socket, &bytes, bytes.count, 0)
    if got > 0 { buffer += bytes[..<got] }
    if got == 0 { end = .closed }
    if got < 0, errno == ECONNRESET { end = .reset }
    return got > 0
  }
}
