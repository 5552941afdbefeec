// All buckets of one server: folders, objects put by code or script, made-up names, and edited metadata over all of them.
// How names become pages is `Listing`; how objects become answers is `API`.

import Glibc
import TransferModel

/// The objects that a server serves. In-memory objects win over files of the same name; files are never changed.
package final class ObjectStore: Sendable {
  struct MemoryObject {
    var content: ObjectContent
    var generation: Int64
    var digests: DigestSet
  }

  /// Metadata that was edited through the API or made by a read; it goes when the bytes change.
  struct Edit {
    var generation: Int64
    var metageneration: Int64
    var updated: Timestamp
    var metadata: ObjectMetadata
  }

  struct Bucket {
    var memory: [ObjectName: MemoryObject] = [:]
    var generated: GeneratedNames?
    /// Metadata that was there from the start.
    var declared: [ObjectName: ObjectMetadata] = [:]
    var edits: [ObjectName: Edit] = [:]
    /// In-memory names in order; nil when they changed.
    var sortedMemory: SortedNames?
    /// Sorted names of the folder, by the prefix they were walked for; read again when a listing starts anew.
    var walks: [String: SortedNames] = [:]
  }

  struct State {
    var buckets: [String: Bucket] = [:]
    var hashes: [FolderBucket.Identity: DigestSet] = [:]
    var lastGeneration: Int64 = 0
  }

  /// The folder whose folders are buckets; nil = only named buckets.
  private let root: String?
  private let named: [String: String]
  let state = Lock(State())

  init(root: String?, named: [String: String]) {
    self.root = root
    self.named = named
  }

  /// Puts an object beside the folder, or over a file of the same name. `generation` nil takes the present time in
  /// microseconds, and always more than any before.
  package func put(
    _ bucket: String, _ name: String, _ bytes: [UInt8], _ metadata: ObjectMetadata = ObjectMetadata(),
    generation: Int64? = nil
  ) {
    put(bucket, name, content: .memory(bytes), metadata, generation: generation)
  }

  package func put(_ bucket: String, _ name: String, text: String, generation: Int64? = nil) {
    put(bucket, name, Array(text.utf8), ObjectMetadata(contentType: "text/plain"), generation: generation)
  }

  /// Puts an object of any size that takes no memory; beyond 64 MiB it has no hashes.
  package func put(
    _ bucket: String, _ name: String, patternOf size: Int64, seed: UInt64 = 0,
    _ metadata: ObjectMetadata = ObjectMetadata(), generation: Int64? = nil
  ) {
    put(bucket, name, content: .pattern(seed: seed, size: size), metadata, generation: generation)
  }

  private func put(
    _ bucket: String, _ name: String, content: ObjectContent, _ metadata: ObjectMetadata, generation: Int64?
  ) {
    let digests = content.digests()
    let now = Timestamp.now()
    state.withLock { state in
      let next = max(state.lastGeneration + 1, now.seconds * 1_000_000 + Int64(now.nanoseconds) / 1_000)
      state.lastGeneration = max(state.lastGeneration, generation ?? next)
      let object = MemoryObject(content: content, generation: generation ?? next, digests: digests)
      let key = ObjectName(name)
      state.buckets[bucket, default: Bucket()].memory[key] = object
      state.buckets[bucket]?.declared[key] = metadata
      state.buckets[bucket]?.edits[key] = nil
      state.buckets[bucket]?.sortedMemory = nil
    }
  }

  /// Takes away an in-memory object; a file of the same name shows again.
  package func remove(_ bucket: String, _ name: String) {
    state.withLock { state in
      state.buckets[bucket]?.memory[ObjectName(name)] = nil
      state.buckets[bucket]?.declared[ObjectName(name)] = nil
      state.buckets[bucket]?.sortedMemory = nil
    }
  }

  /// Makes a bucket exist, empty if it is new.
  package func makeBucket(_ bucket: String) {
    state.withLock { state in
      if state.buckets[bucket] == nil { state.buckets[bucket] = Bucket() }
    }
  }

  /// Gives a bucket made-up names.
  package func generate(_ bucket: String, _ names: GeneratedNames) {
    state.withLock { $0.buckets[bucket, default: Bucket()].generated = names }
  }

  /// Says what an object's metadata is from the start; it stays when the bytes change.
  package func declare(_ bucket: String, _ name: String, _ metadata: ObjectMetadata) {
    state.withLock { $0.buckets[bucket, default: Bucket()].declared[ObjectName(name)] = metadata }
  }

  /// Forgets in-memory objects, made-up names and edits; folders stay.
  package func reset() { state.withLock { $0.buckets = [:] } }

  func hasBucket(_ bucket: String) -> Bool {
    state.withLock { $0.buckets[bucket] != nil } || folder(of: bucket)?.exists ?? false
  }

  /// The folder that a bucket would have; it need not exist.
  func folder(of bucket: String) -> FolderBucket? {
    if let path = named[bucket] { return FolderBucket(path: path, mayBeLink: true) }
    let isSafe = FolderBucket.isSafe([bucket]) && !bucket.utf8.contains(UInt8(ascii: "/"))
    guard let root, isSafe else { return nil }
    return FolderBucket(path: root + "/" + bucket, mayBeLink: false)
  }
}
