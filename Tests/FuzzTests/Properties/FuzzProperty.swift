// What must hold for whatever bytes come. Two drivers walk over these: the seeded one of `Fuzzing.swift`, in every test run,
// and libFuzzer's, which sees which branches an input reaches (`Tests/Fuzz`).

import TransferModel

/// One parser and what it owes to broken input.
struct FuzzProperty: Sendable, CustomStringConvertible {
  let name: String
  /// Good input, or nearly so, to start from.
  let seeds: @Sendable () throws -> [[UInt8]]
  /// Throws `Mistreated` when the property does not hold. It must neither trap nor hang.
  let check: @Sendable ([UInt8]) throws -> Void

  var description: String { name }

  init(
    _ name: String, seeds: @escaping @Sendable () throws -> [[UInt8]],
    check: @escaping @Sendable ([UInt8]) throws -> Void
  ) {
    self.name = name
    self.seeds = seeds
    self.check = check
  }

  init(_ name: String, texts: [String], check: @escaping @Sendable (String) throws -> Void) {
    self.init(name, seeds: { texts.map { Array($0.utf8) } }) { try check(String(decoding: $0, as: UTF8.self)) }
  }

  static let all: [FuzzProperty] = texts + documents + stores

  static func named(_ name: String) -> FuzzProperty? { all.first { $0.name == name } }
}

/// Why an input was not treated as it should be.
struct Mistreated: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) { self.description = description }
}

func demand(_ condition: Bool, _ what: @autoclosure () -> String) throws {
  if !condition { throw Mistreated(what()) }
}
