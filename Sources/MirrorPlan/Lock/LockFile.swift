// The lock file as it was read: entries are looked up in the document itself. Reading it is `LockReader.swift`, writing
// it `LockDraft.swift`.

package import TransferModel

/// A document `mirror.lock/1` whose every entry has been checked.
package struct LockFile: Sendable {
  package static let schema = "mirror.lock/1"

  private let bytes: [UInt8]
  private let index: DocumentIndex

  init(bytes: [UInt8], index: DocumentIndex) {
    self.bytes = bytes
    self.index = index
  }

  package var count: Int { index.count }

  /// The place of a destination among the entries, which are in byte order; nil when it is not locked.
  package func place(of path: RelativePath) -> Int? { index.place(of: path) }

  /// nil cannot be: the entry was read before. Asked for a place below `count`.
  package func entry(at place: Int) -> LockEntry? {
    var reader = JSONReader(Array(bytes[index.range(at: place)]))
    return try? LockEntry(reading: &reader)
  }

  package func entry(for path: RelativePath) -> LockEntry? { place(of: path).flatMap { entry(at: $0) } }

  /// What the lock file of a manifest is called.
  package static func path(forManifest path: String) -> String { path + ".lock" }
}
