// Finding one object, changing its metadata, and collecting the names of a bucket.

import Glibc
package import TransferModel

extension ObjectStore {
  /// The live object of that name; nil when there is none.
  package func object(_ bucket: String, _ name: ObjectName) -> StoredObject? {
    let (memory, edit, declared, generated) = state.withLock { state in
      let known = state.buckets[bucket]
      return (known?.memory[name], known?.edits[name], known?.declared[name] ?? ObjectMetadata(), known?.generated)
    }
    if let memory {
      let digests = memory.digests
      return make(bucket, name, memory.content, memory.generation, declared, edit) { digests }
    }
    if let (file, identity) = folder(of: bucket)?.file(name) {
      let generation = identity.modified.seconds * 1_000_000 + Int64(identity.modified.nanoseconds) / 1_000
      let content = ObjectContent.file(file, size: identity.size)
      return make(bucket, name, content, generation, declared, edit) { [weak self] in
        self?.digests(of: content, identity) ?? DigestSet()
      }
    }
    guard let generated, let index = generated.index(of: name) else { return nil }
    let content = ObjectContent.pattern(seed: UInt64(index), size: generated.objectSize)
    return make(bucket, name, content, 1_700_000_000_000_000 + Int64(index), declared, edit) { content.digests() }
  }

  private func make(
    _ bucket: String, _ name: ObjectName, _ content: ObjectContent, _ generation: Int64, _ declared: ObjectMetadata,
    _ edit: Edit?, digests: @escaping @Sendable () -> DigestSet
  ) -> StoredObject {
    let created = Timestamp(
      seconds: generation / 1_000_000, nanoseconds: Int32(generation % 1_000_000) * 1_000)
    let current = edit.flatMap { $0.generation == generation ? $0 : nil }
    return StoredObject(
      bucket: bucket, name: name, content: content, generation: generation,
      metageneration: current?.metageneration ?? 1, created: created, updated: current?.updated ?? created,
      metadata: current?.metadata ?? declared, digests: digests)
  }

  private func digests(of content: ObjectContent, _ identity: FolderBucket.Identity) -> DigestSet {
    if let known = state.withLock({ $0.hashes[identity] }) { return known }
    let digests = content.digests()
    state.withLock { state in
      // Files that come and go must not fill the memory of a server that runs for weeks.
      if state.hashes.count >= 1_000_000 { state.hashes = [:] }
      state.hashes[identity] = digests
    }
    return digests
  }

  /// Changes the metadata of one version of an object and counts its metageneration up; returns the object as it is
  /// then, nil when it is gone.
  func edit(_ object: StoredObject, _ change: (inout ObjectMetadata) -> Void) -> StoredObject? {
    let now = Timestamp.now()
    state.withLock { state in
      let edit = state.buckets[object.bucket]?.edits[object.name]
      let current = edit.flatMap { $0.generation == object.generation ? $0 : nil }
      var metadata = current?.metadata ?? object.metadata
      change(&metadata)
      // In place: a copy of the bucket would be one of all its edits.
      state.buckets[object.bucket, default: Bucket()].edits[object.name] = Edit(
        generation: object.generation, metageneration: (current?.metageneration ?? 1) + 1, updated: now,
        metadata: metadata)
    }
    return self.object(object.bucket, object.name)
  }

  /// All names of a bucket as columns, the more important first; nil when there is no such bucket. `fresh` reads the
  /// folder again; a listing that goes on from a page token sees what its first page saw.
  func columns(_ bucket: String, prefix: String, fresh: Bool) -> [any NameColumn]? {
    guard hasBucket(bucket) else { return nil }
    let (memory, generated, walk) = state.withLock { state in
      guard var known = state.buckets[bucket] else {
        return (SortedNames?.none, GeneratedNames?.none, SortedNames?.none)
      }
      if known.sortedMemory == nil {
        known.sortedMemory = SortedNames(Array(known.memory.keys))
        state.buckets[bucket] = known
      }
      return (known.sortedMemory, known.generated, fresh ? nil : known.walks[prefix])
    }
    var columns: [any NameColumn] = []
    if let memory, memory.count > 0 { columns.append(memory) }
    if let folder = folder(of: bucket) {
      let names = walk ?? SortedNames(folder.names(prefix: prefix))
      if walk == nil {
        state.withLock { state in
          if state.buckets[bucket]?.walks.count ?? 0 >= 64 { state.buckets[bucket]?.walks = [:] }
          state.buckets[bucket, default: Bucket()].walks[prefix] = names
        }
      }
      columns.append(names)
    }
    if let generated { columns.append(generated) }
    return columns
  }
}
