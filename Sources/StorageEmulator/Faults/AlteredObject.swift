// Faults in what is said of an object, and objects that are exchanged for another version.

import TransferModel

extension StorageService {
  /// The object as this request is to see it.
  func altered(_ object: StoredObject, _ plan: FaultPlan) -> StoredObject {
    var altered = plan.swap.map { otherVersion(of: object, $0.with) } ?? object
    if plan.coding == .doubleGzip, let bytes = altered.content.bytes(at: 0, count: Int(altered.size)) {
      let content = ObjectContent.memory(Gzip.wrapped(Gzip.wrapped(bytes)))
      altered.content = content
      altered.metadata.contentEncoding = "gzip"
      altered.digests = { content.digests() }
    }
    for action in plan.facts {
      let truth = altered.digests
      switch action {
      case .hash(let fault): altered.digests = { Self.digests(truth(), fault) }
      case .generation(let generation?): altered.generation = generation
      default: break
      }
    }
    return altered
  }

  /// The version that a swap shows: another object under this one's name, or else this one with every bit of its bytes
  /// turned over. Its generation is one more.
  func otherVersion(of object: StoredObject, _ name: String?) -> StoredObject {
    var other = object
    if let name, let found = store.object(object.bucket, ObjectName(name)) {
      other.content = found.content
      other.metadata = found.metadata
      other.digests = found.digests
    } else {
      let whole = object.size <= 64 << 20 ? object.content.bytes(at: 0, count: Int(object.size)) : nil
      let content = whole.map { ObjectContent.memory($0.map { ~$0 }) } ?? .pattern(seed: 1 << 40, size: object.size)
      other.content = content
      other.digests = { content.digests() }
    }
    other.generation += 1
    return other
  }

  private static func digests(_ truth: DigestSet, _ fault: FaultAction.HashFault) -> DigestSet {
    var digests = truth
    switch fault {
    case .none: return DigestSet()
    case .without(let algorithm): digests[algorithm] = nil
    case .wrong(let algorithm):
      digests[algorithm] = digests[algorithm].flatMap { Digest(algorithm, bytes: $0.bytes.map { ~$0 }) }
    }
    return digests
  }
}
