// A part file that is filled at several places at once.

import Glibc
package import TransferModel

extension PartialFile: DivisibleSink {
  package var stretches: [Range<Int64>] {
    (position > 0 ? [0..<position] : []) + later.all.map(\.range)
  }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(TransferFailure) {
    guard !bytes.isEmpty else { return }
    let end = offset + Int64(bytes.count)
    guard offset >= position, later.isFree(offset..<end) else {
      throw TransferFailure(
        .internalError, .permanent, "bytes \(offset) to \(end) of \(destination) would have been written twice")
    }
    let part = try spill()
    try attempt { () throws(SystemError) in try part.write(bytes, at: offset) }
    guard offset == position else {
      later.add(bytes, at: offset)
      return
    }
    if digest.byteCount == position { digest.update(bytes) }
    position = end
    passLaterStretches()
  }

  /// Moves `position` over what was written before; the digests follow for nothing where a checksum is all that is asked
  /// for, else by `catchUp`.
  private func passLaterStretches() {
    while let stretch = later.takeFirst(at: position) {
      if let checksum = stretch.crc32c, digest.isChecksumOnly, digest.byteCount == position {
        digest.append(crc32c: checksum, length: Int64(stretch.range.count))
      }
      position = stretch.range.upperBound
    }
  }

  package func catchUp(atMost limit: Int64) throws(TransferFailure) -> Bool {
    guard digest.byteCount < position, let part else { return false }
    try feedDigest(from: part, upTo: min(position, digest.byteCount + limit))
    return digest.byteCount < position
  }

  package func keepFirstStretch() throws(TransferFailure) {
    later.removeAll()
    guard let part else { return }
    try attempt { () throws(SystemError) in try part.truncate(to: position) }
  }

  package func syncing() throws(TransferFailure) -> (@Sendable () throws(TransferFailure) -> Void)? {
    guard let part else { return nil }
    let file = try attempt { () throws(SystemError) in OpenPart(try part.duplicate()) }
    let destination = destination
    return { () throws(TransferFailure) in
      do throws(SystemError) {
        try SystemCall.syncData(file.descriptor.rawValue)
      } catch {
        throw error.at(destination.text).failure
      }
    }
  }

  /// Takes up the stretches that an earlier run wrote down, as far as the file has them.
  func resume(_ stretches: [Range<Int64>], of part: PartFile) {
    var held = stretches.map { $0.clamped(to: 0..<part.initialSize) }.filter { !$0.isEmpty }
    let isInOrder = zip(held, held.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }
    guard isInOrder, held.first?.lowerBound == 0 else { return }
    position = held.removeFirst().upperBound
    later = StretchList(unseen: held)
  }
}

/// A second descriptor of a part file, which lives as long as someone may want to sync it.
private final class OpenPart: Sendable {
  let descriptor: FileDescriptor
  init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }
}
