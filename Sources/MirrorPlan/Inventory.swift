// What a listing brings, object by object. Listing is `MirrorEngine`'s; what becomes of an object is `EntryInventory`'s.

package import TransferModel

/// One object of a listing.
package struct ListedObject: Hashable, Sendable {
  package var name: ObjectName
  /// All that the listing says of it; Firebase's says nothing but the name.
  package var version: ObjectVersion

  package init(_ name: ObjectName, _ version: ObjectVersion = ObjectVersion()) {
    self.name = name
    self.version = version
  }

  /// The fact that the planner gets: an object of which nothing but the name is known was not asked about.
  package var fact: RemoteFact { version == ObjectVersion() ? .notAsked : .present(version) }
}

/// What is known of a tree's listing once it has ended; deleting stands on it.
package struct ListingFact: Hashable, Sendable {
  /// Whether every page was read and every name understood, in order.
  package var isComplete: Bool
  /// Objects that the tree wants, after `include` and `exclude`.
  package var wanted: Int

  package init(isComplete: Bool, wanted: Int) {
    self.isComplete = isComplete
    self.wanted = wanted
  }
}

extension ObjectName {
  /// Whether both look the same to a reader and are two names: one letter spelled in two Unicode forms. Worth a hint
  /// when one of them is not found and the other is listed; never a reason to take one for the other.
  package func isNormalisationTwin(of other: ObjectName) -> Bool {
    // `String ==` is canonical equivalence, which is wanted here and nowhere else.
    self != other && text == other.text
  }
}
