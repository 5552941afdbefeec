// The words of a plan: what is done with an entry, what that was decided from, and why.
// The words are part of the plan's and the report's schemas: cases are added and never renamed.

package import TransferModel

/// What is done with an entry.
package enum Action: String, Sendable, CaseIterable {
  /// Nothing stands at the destination; fetch.
  case download
  /// Something stands there; fetch and replace it, if it is not the same after all.
  case update
  /// The right bytes are there already and were not known; record them.
  case adopt
  /// The bytes are right, their mode or their time of change is not.
  case metadata
  /// Nothing is to be done.
  case skip
  case delete
  /// Something stands there that must not be replaced.
  case conflict
  case error

  /// Whether doing it changes the tree below the root.
  package var changesTree: Bool {
    switch self {
    case .download, .update, .metadata, .delete: true
    case .adopt, .skip, .conflict, .error: false
    }
  }
}

/// What told two versions apart, or the same; later cases are stronger.
package enum ComparedBy: String, Sendable, CaseIterable, Comparable {
  case none
  case size
  /// `Last-Modified` together with the size, where both sides have one.
  case lastModified = "last_modified"
  case weakETag = "weak_etag"
  case strongETag = "etag"
  case hash
  case generation
  case pin

  /// Whether equality proves equal bytes; `verify: strict` takes nothing less.
  package var isStrong: Bool { self >= .strongETag }

  package static func < (left: Self, right: Self) -> Bool { left.strength < right.strength }

  private var strength: Int {
    switch self {
    case .none: 0
    case .size: 1
    case .lastModified: 2
    case .weakETag: 3
    case .strongETag: 4
    case .hash: 5
    case .generation: 6
    case .pin: 7
    }
  }
}

/// Why an entry got its action.
package enum PlanReason: Hashable, Sendable {
  /// Nothing is there and nothing was recorded.
  case new
  /// A file was recorded and is gone.
  case localMissing
  /// The file was changed after mirror had written it.
  case localChange
  /// A file that mirror did not write, and that is not the object.
  case localDiffers
  case remoteChange
  /// The file has not the pinned digest.
  case pinMismatch
  /// The pinned generation is not the recorded one.
  case generationChange
  /// The file was fetched from another reference.
  case sourceChange
  /// The file is kept in the other form of `content`.
  case contentForm
  /// The manifest's placeholder stands in for the object.
  case placeholder
  /// A symbolic link stands there and gives way to the file.
  case replacesSymlink
  /// The request itself asks whether there is anything new.
  case ask
  /// Nothing ties the file to a version of the object: it is fetched and then compared.
  case nothingToCompare
  case unchanged
  /// The bytes are as they were, though size, time or inode had moved or were not trusted.
  case reproven
  /// The bytes are right and mirror had not written them.
  case present
  case modeDrift
  /// The bytes are right, the time of change is not the one that mirror had set.
  case mtimeDrift
  /// No longer among the objects of its tree.
  case gone
  case failure(ReasonCode)

  /// The stable word.
  package var text: String {
    switch self {
    case .new: "new"
    case .localMissing: "local_missing"
    case .localChange: "local_change"
    case .localDiffers: "local_differs"
    case .remoteChange: "remote_change"
    case .pinMismatch: "pin_mismatch"
    case .generationChange: "generation_change"
    case .sourceChange: "source_change"
    case .contentForm: "content_form"
    case .placeholder: "placeholder"
    case .replacesSymlink: "replaces_symlink"
    case .ask: "ask"
    case .nothingToCompare: "nothing_to_compare"
    case .unchanged: "unchanged"
    case .reproven: "reproven"
    case .present: "present"
    case .modeDrift: "mode_drift"
    case .mtimeDrift: "mtime_drift"
    case .gone: "gone"
    case .failure(let code): code.rawValue
    }
  }
}
