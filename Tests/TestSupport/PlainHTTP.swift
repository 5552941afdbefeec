// One HTTP request by hand, to ask a server without any of our own client code.

import Glibc

/// A client that knows HTTP/1.0 and nothing else: one request, one answer, the end of the connection is the end of the
/// body. Blocks its thread.
package enum PlainHTTP {
  package struct Answer: Sendable {
    package var status: Int
    /// As sent, in order.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]

    /// The first header of that name, whatever its case.
    package func header(_ name: String) -> String? {
      headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    package var text: String { String(decoding: body, as: UTF8.self) }
  }

  package struct Malformed: Error, CustomStringConvertible {
    package var start: String
    package var description: String { "no HTTP answer: \(start)" }
  }

  /// - Parameter target: the request target, with its query, escaped as it goes on the wire.
  package static func request(
    _ method: String = "GET", port: UInt16, _ target: String, headers: [String: String] = [:], body: [UInt8] = []
  ) throws -> Answer {
    let descriptor = try LoopbackSocket.connected(port: port)
    defer { close(descriptor) }
    var head = "\(method) \(target) HTTP/1.0\r\nHost: 127.0.0.1:\(port)\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if !body.isEmpty || method == "POST" || method == "PUT" { head += "Content-Length: \(body.count)\r\n" }
    try send(Array((head + "\r\n").utf8) + body, to: descriptor)
    return try parse(try receive(from: descriptor))
  }

  private static func send(_ bytes: [UInt8], to descriptor: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { throw SystemError("send a request") }
      rest = rest.dropFirst(count)
    }
  }

  private static func receive(from descriptor: Int32) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count >= 0 else { throw SystemError("receive an answer") }
      if count == 0 { return bytes }
      bytes.append(contentsOf: chunk[..<count])
    }
  }

  private static func parse(_ bytes: [UInt8]) throws -> Answer {
    let blank = Array("\r\n\r\n".utf8)
    let end = bytes.indices.first { bytes[$0...].starts(with: blank) }
    let head = String(decoding: bytes[..<(end ?? bytes.count)], as: UTF8.self)
    // "\r\n" is one Character.
    var lines = head.split(separator: "\r\n")
    let words = lines.first?.split(separator: " ") ?? []
    guard let end, words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
      throw Malformed(start: String(head.prefix(80)))
    }
    lines.removeFirst()
    let headers = lines.map { line in
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      return (name: String(parts[0]), value: parts.count > 1 ? String(parts[1].drop { $0 == " " }) : "")
    }
    return Answer(status: status, headers: headers, body: Array(bytes[(end + blank.count)...]))
  }
}
