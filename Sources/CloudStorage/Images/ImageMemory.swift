// The images that are at hand without a file: a value.

import Foundation
import TransferModel

/// The most recently used images, bounded by their bytes and their age.
struct ImageMemory: Sendable {
  struct Image: Hashable, Sendable {
    var data: Data
    var generation: Int64?
  }

  private struct Slot: Sendable {
    var image: Image
    var lastUse: UInt64
    var storedAt: Int64
  }

  /// In bytes.
  let limit: Int64
  /// In seconds.
  let age: Int64
  private(set) var size: Int64 = 0
  private var slots: [String: Slot] = [:]
  private var uses: UInt64 = 0

  init(limit: Int64, age: Int64) {
    self.limit = limit
    self.age = age
  }

  var count: Int { slots.count }

  /// The image under a key, if it is young enough; it is now the one that was used last.
  mutating func image(for key: String, now: Int64) -> Image? {
    guard let slot = slots[key] else { return nil }
    guard now - slot.storedAt <= age else {
      remove(key)
      return nil
    }
    uses += 1
    slots[key]?.lastUse = uses
    return slot.image
  }

  /// Keeps an image; those that were not used for longest go as long as there are too many bytes. One that is larger than
  /// the limit is not kept.
  mutating func keep(_ image: Image, for key: String, now: Int64) {
    remove(key)
    guard Int64(image.data.count) <= limit else { return }
    uses += 1
    slots[key] = Slot(image: image, lastUse: uses, storedAt: now)
    size += Int64(image.data.count)
    while size > limit, let oldest = slots.min(by: { $0.value.lastUse < $1.value.lastUse })?.key { remove(oldest) }
  }

  mutating func remove(_ key: String) {
    guard let slot = slots.removeValue(forKey: key) else { return }
    size -= Int64(slot.image.data.count)
  }

  mutating func removeAll() {
    slots = [:]
    size = 0
  }
}
