// The facts that a written plan stands on. `apply --plan` gathers them anew and refuses an entry for which they moved.

import TransferModel

package struct PlanFacts: Hashable, Sendable {
  package var local: LocalFact
  package var remote: RemoteFact

  package init(local: LocalFact, remote: RemoteFact) {
    self.local = local
    self.remote = remote
  }

  /// Whether an entry may be done as planned though it is now seen like `other`: the file is the same and the object is
  /// the same version. ETags and times of an object in a bucket do not count.
  package func stillHold(_ other: PlanFacts, isStorage: Bool) -> Bool {
    guard local == other.local else { return false }
    switch (remote, other.remote) {
    case (.present(let before), .present(let now)):
      guard isStorage else { return before == now }
      if before.generation != nil || now.generation != nil { return before.generation == now.generation }
      return before.size == now.size && before.digests == now.digests
    case (.absent, .absent), (.notAsked, .notAsked), (.failed, .failed): return true
    case (.present, _), (.absent, _), (.notAsked, _), (.failed, _): return false
    }
  }

  func write(to json: inout JSONWriter) {
    json.beginObject()
    json.key("local")
    write(local, to: &json)
    json.key("remote")
    write(remote, to: &json)
    json.endObject()
  }

  private func write(_ local: LocalFact, to json: inout JSONWriter) {
    json.beginObject()
    switch local {
    case .absent: json.member("kind", "absent")
    case .directory: json.member("kind", "directory")
    case .symlink: json.member("kind", "symlink")
    case .other: json.member("kind", "other")
    case .file(let stamp, let mode):
      json.member("kind", "file")
      json.member("size", stamp.size)
      // As texts: beyond 2^53 a reader that takes numbers for doubles would round them.
      json.member("modified", String(stamp.modified))
      json.member("inode", String(stamp.inode))
      json.member("mode", Int(mode))
    }
    json.endObject()
  }

  private func write(_ remote: RemoteFact, to json: inout JSONWriter) {
    json.beginObject()
    switch remote {
    case .notAsked: json.member("kind", "not_asked")
    case .absent: json.member("kind", "absent")
    case .failed(let failure):
      json.member("kind", "failed")
      json.member("reason", failure.reason.rawValue)
    case .present(let version):
      json.member("kind", "present")
      json.member("generation", version.generation.map { String($0) })
      json.member("etag", version.etag)
      json.member("last_modified", version.lastModified?.rfc3339(.nanoseconds))
      json.member("size", version.size)
      json.member("content_encoding", version.contentEncoding)
      json.hashes(version.digests)
    }
    json.endObject()
  }
}
