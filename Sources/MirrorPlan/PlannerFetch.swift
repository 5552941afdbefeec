// How an entry is fetched once that was decided, and whether it can be known beforehand to fail.

import TransferModel

extension PlannerFacts {
  var localSize: Int64? {
    guard case .file(let stamp, _) = local else { return nil }
    return stamp.size
  }

  /// Mirrors agree on the bytes and on nothing else: generation and tags belong to one server.
  func fetch(of version: ObjectVersion) -> Fetch {
    var wanted = version
    if entry.references.count > 1 {
      wanted = ObjectVersion(
        size: version.size, digests: version.digests, contentEncoding: version.contentEncoding)
    }
    return wanted == ObjectVersion() ? .whole : .version(wanted)
  }

  /// Why fetching that version must fail; nil when it may work.
  func refusal(of version: ObjectVersion) -> TransferFailure? {
    guard entry.references.count == 1 else { return nil }
    let name = TerminalText.escape(entry.references[0].display)
    if let size = version.size {
      if let limit = entry.settings.maxSize, size > limit.bytes {
        return TransferFailure(
          .sizeLimitExceeded, .permanent,
          "\(name) has \(size) bytes, more than max_size allows (\(limit.bytes)).",
          hint: "Raise max_size for this entry if the size is right.")
      }
      if let wanted = entry.size, wanted.bytes != size {
        return TransferFailure(
          .sizeMismatch, .integrity, "\(name) has \(size) bytes; the manifest names \(wanted.bytes).",
          hint: "Correct size, or find out who replaced the object.")
      }
    }
    guard entry.settings.verify != .off, keepsStoredBytes(of: version),
      case .different(let algorithm) = entry.pins.compare(with: version.digests),
      let pin = entry.pins[algorithm], let found = version.digests[algorithm]
    else { return nil }
    return TransferFailure(
      .checksumMismatch, .integrity, "\(name) has \(found); the manifest pins \(pin.hex).",
      hint: "Correct the pin, or find out who replaced the object.")
  }
}
