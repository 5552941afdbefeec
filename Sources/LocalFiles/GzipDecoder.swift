// Gzip decoding (RFC 1952) of bytes that come piece by piece. Which objects are decoded, and what becomes of the result,
// is not decided here: that is `DecodingSink` and those who make one.

import CISAL
package import TransferModel

/// Decodes one gzip stream in about 160 KiB of memory, however large the stream or what it holds.
///
/// Used on one thread; not Sendable. A fault in the bytes is kept, not thrown: feeding goes on without effect, and
/// `faultAtEnd` tells. So the bytes can be verified first, and damage on the way is not taken for a bad object.
///
/// | bytes | verdict |
/// | --- | --- |
/// | one member, or several in a row (section 2.2) | their contents in a row |
/// | members, then zeros only | the same: the padding of tapes and block devices, which gzip(1) accepts as well |
/// | members, then anything else | `trailingBytes` |
/// | nothing, or an end within a member | `truncated` |
/// | a header checksum, CRC-32 or length that does not fit | `headerChecksum`, `contentChecksum` |
package final class GzipDecoder {
  /// No piece of output is larger, in bytes.
  package static let outputSize = 65_536

  private enum Phase {
    case header(GzipHeader)
    case body
    case afterMember
    case padding
    case broken(GzipFault)
  }

  private let state: OpaquePointer
  private let output: UnsafeMutableRawBufferPointer
  private var phase = Phase.header(GzipHeader())
  private var memberCount = 0

  /// - outputSize: in bytes, 1 or more.
  ///
  /// Throws `out_of_memory`.
  package init(outputSize: Int = GzipDecoder.outputSize) throws(TransferFailure) {
    precondition(outputSize > 0, "output needs room")
    guard let state = mirror_gunzip_make() else {
      throw TransferFailure(.outOfMemory, .local, "there is no memory for decoding gzip", hint: "lower --jobs")
    }
    self.state = state
    output = .allocate(byteCount: outputSize, alignment: 16)
  }

  deinit {
    mirror_gunzip_free(state)
    output.deallocate()
  }

  /// What is wrong if no more bytes come; nil = the stream is whole.
  package var faultAtEnd: GzipFault? {
    switch phase {
    case .header, .body: .truncated
    case .afterMember, .padding: nil
    case .broken(let fault): fault
    }
  }

  /// Forgets all bytes and begins a new stream.
  package func reset() {
    phase = .header(GzipHeader())
    memberCount = 0
  }

  /// Takes the next bytes of the stream and gives what they hold to `emit`, in pieces that are valid during the call only.
  ///
  /// Throws what `emit` throws; then only `reset` makes the decoder useful again.
  package func feed(
    _ bytes: UnsafeRawBufferPointer, emit: (UnsafeRawBufferPointer) throws(TransferFailure) -> Void
  ) throws(TransferFailure) {
    var index = 0
    while index < bytes.count {
      switch phase {
      case .header(var header):
        takeHeader(&header, bytes[index])
        index += 1
      case .body:
        index += try inflate(UnsafeRawBufferPointer(rebasing: bytes[index...]), emit)
      case .afterMember:
        takeFirst(bytes[index])
      case .padding:
        if bytes[index] != 0 { phase = .broken(.trailingBytes) }
        index += 1
      case .broken:
        return
      }
    }
  }

  /// Looks at the byte after a member, without taking it.
  private func takeFirst(_ byte: UInt8) {
    switch byte {
    case GzipHeader.firstByte: phase = .header(GzipHeader())
    case 0: phase = .padding
    default: phase = .broken(.trailingBytes)
    }
  }

  private func takeHeader(_ header: inout GzipHeader, _ byte: UInt8) {
    if let fault = header.take(byte) {
      phase = .broken(fault == .notGzip && memberCount > 0 ? .trailingBytes : fault)
    } else if header.isComplete {
      mirror_gunzip_reset(state)
      phase = .body
    } else {
      phase = .header(header)
    }
  }

  /// Decodes until the member ends or the bytes do; returns how many it took.
  private func inflate(
    _ bytes: UnsafeRawBufferPointer, _ emit: (UnsafeRawBufferPointer) throws(TransferFailure) -> Void
  ) throws(TransferFailure) -> Int {
    var taken = 0
    while true {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[taken...])
      let step = mirror_gunzip_step(state, rest.baseAddress, rest.count, output.baseAddress, output.count)
      taken += step.taken
      guard step.code == ISAL_DECOMP_OK || step.code == ISAL_END_INPUT else {
        phase = .broken(step.code == ISAL_INCORRECT_CHECKSUM ? .contentChecksum : .damagedData)
        return taken
      }
      if step.written > 0 { try emit(UnsafeRawBufferPointer(rebasing: output[..<step.written])) }
      if step.has_ended {
        memberCount += 1
        phase = .afterMember
        return taken
      }
      // Output that filled its room may not be all there is, even when no input is left.
      if taken == bytes.count, step.written < output.count { return taken }
      if step.taken == 0, step.written == 0 {
        phase = .broken(.damagedData)
        return taken
      }
    }
  }
}
