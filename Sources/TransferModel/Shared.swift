// Large values that many hold and nobody changes: a copy is one reference, and equal ones can be one.

/// A value behind one reference.
package final class Shared<Value: Sendable>: Sendable {
  package let value: Value

  package init(_ value: Value) { self.value = value }

  /// The same value with one property changed.
  package func with<Property>(_ property: WritableKeyPath<Value, Property>, _ newValue: Property) -> Shared {
    var copy = value
    copy[keyPath: property] = newValue
    return Shared(copy)
  }
}

extension Shared: Equatable where Value: Equatable {
  package static func == (left: Shared, right: Shared) -> Bool { left === right || left.value == right.value }
}

extension Shared: Hashable where Value: Hashable {
  package func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}
