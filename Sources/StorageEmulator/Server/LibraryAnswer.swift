// Gives an answer with right framing to libmicrohttpd.

import CMicroHTTPD
import Glibc
import TransferModel

enum LibraryAnswer {
  /// Bodies up to this size are read and sent with the head in one call; larger files go out by sendfile.
  private static let smallBody: Int64 = 64 << 10

  static func queue(_ delivery: Delivery, _ connection: OpaquePointer) -> MHD_Result {
    guard let response = response(for: delivery.answer) else { return .NO }
    defer { MHD_destroy_response(response) }
    for field in delivery.answer.fields.all {
      guard MHD_add_response_header(response, field.name, field.value) == .YES else { return .NO }
    }
    if delivery.closes, MHD_add_response_header(response, "Connection", "close") != .YES { return .NO }
    return MHD_queue_response(connection, UInt32(delivery.answer.status), response)
  }

  private static func response(for answer: EmulatorAnswer) -> OpaquePointer? {
    guard !answer.hidesLength, answer.body.count <= 1 else { return stream(answer) }
    guard let piece = answer.body.first, piece.length > 0 else {
      return MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
    }
    if piece.length <= smallBody {
      guard let memory = malloc(Int(piece.length)) else { return nil }
      let buffer = UnsafeMutableRawBufferPointer(start: memory, count: Int(piece.length))
      guard piece.content.read(at: piece.offset, into: buffer) == buffer.count,
        let response = MHD_create_response_from_buffer(buffer.count, memory, .RESPMEM_MUST_FREE)
      else {
        free(memory)
        return nil
      }
      return response
    }
    guard case .file(let file, _) = piece.content else { return stream(answer) }
    // The library closes the descriptor that it is given.
    let descriptor = fcntl(file.descriptor, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { return nil }
    let response = MHD_create_response_from_fd_at_offset64(UInt64(piece.length), descriptor, UInt64(piece.offset))
    if response == nil { close(descriptor) }
    return response
  }

  private static func stream(_ answer: EmulatorAnswer) -> OpaquePointer? {
    let size = answer.hidesLength ? UInt64.max : UInt64(answer.length)
    let body = Unmanaged.passRetained(Body(answer.body))
    let response = MHD_create_response_from_callback(
      size, 64 << 10,
      { context, position, buffer, count in
        guard let context, let buffer else { return LibraryAnswer.errorEnd }
        return Unmanaged<Body>.fromOpaque(context).takeUnretainedValue()
          .read(at: Int64(position), into: UnsafeMutableRawBufferPointer(start: buffer, count: count))
      }, body.toOpaque(),
      { context in
        if let context { Unmanaged<Body>.fromOpaque(context).release() }
      })
    if response == nil { body.release() }
    return response
  }

  /// MHD_CONTENT_READER_END_OF_STREAM and MHD_CONTENT_READER_END_WITH_ERROR, which the C module does not show.
  private static let streamEnd = -1
  private static let errorEnd = -2

  private final class Body: Sendable {
    let pieces: [BodyPiece]
    init(_ pieces: [BodyPiece]) { self.pieces = pieces }

    func read(at position: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
      var start: Int64 = 0
      for piece in pieces {
        guard position >= start + piece.length else {
          let within = position - start
          let count = Int(min(Int64(buffer.count), piece.length - within))
          let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
          let got = piece.content.read(at: piece.offset + within, into: part)
          return got > 0 ? got : errorEnd
        }
        start += piece.length
      }
      return streamEnd
    }
  }
}
