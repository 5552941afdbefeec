// Turns a glob's text into the states that `Glob+Matching.swift` walks.

/// A nondeterministic automaton. State `states.count` is the end.
struct GlobProgram: Sendable {
  enum State: Sendable {
    /// Takes this scalar and goes on.
    case literal(Unicode.Scalar)
    /// Takes one scalar that is not `/` and goes on.
    case one
    /// Takes one scalar of the class and goes on.
    case oneOf(ScalarClass)
    /// Takes any scalar (not `/` unless `crossesSlash`) and stays; goes on without taking any.
    case many(crossesSlash: Bool)
    /// Goes on at every one of the states without taking any.
    case fork([Int])
  }

  struct ScalarClass: Sendable {
    var ranges: [ClosedRange<Unicode.Scalar>] = []
    var isNegated = false

    func contains(_ scalar: Unicode.Scalar) -> Bool {
      scalar != "/" && ranges.contains { $0.contains(scalar) } != isNegated
    }
  }

  var states: [State] = []
}

/// A parser by hand, one pass, no recursion: open braces stand on a stack.
struct GlobCompiler {
  private let scalars: [Unicode.Scalar]
  private var position = 0
  private var program = GlobProgram()
  private var groups: [Group] = []
  /// Whether a whole component begins here, as `**/` needs it.
  private var isAtComponentStart = true

  private struct Group {
    let opening: Int
    let fork: Int
    var branches: [Int]
    /// States that jump behind the group, one at the end of each branch.
    var exits: [Int] = []
    let startsComponent: Bool
    var endsComponentStart: Bool
  }

  init(_ pattern: String) { scalars = Array(pattern.unicodeScalars) }

  mutating func compile() throws(Glob.Violation) -> GlobProgram {
    guard !scalars.isEmpty else { throw Glob.Violation(offset: 0, message: "an empty pattern") }
    while position < scalars.count { try step() }
    if let group = groups.last {
      throw Glob.Violation(offset: group.opening, message: "a `{` without its `}`", hint: "write `\\{` for a brace")
    }
    return program
  }

  private mutating func step() throws(Glob.Violation) {
    let start = position
    let scalar = scalars[position]
    position += 1
    switch scalar {
    case "*": star()
    case "?": emit(.one)
    case "[": emit(.oneOf(try scalarClass(from: start)))
    case "{": openGroup(start)
    case "," where !groups.isEmpty: nextBranch()
    case "}" where !groups.isEmpty: closeGroup()
    case "}":
      throw Glob.Violation(offset: start, message: "a `}` without its `{`", hint: "write `\\}` for a brace")
    case "\\":
      guard position < scalars.count else {
        throw Glob.Violation(
          offset: start, message: "a `\\` with nothing behind it", hint: "write `\\\\` for a backslash")
      }
      emit(.literal(scalars[position]))
      position += 1
    default: emit(.literal(scalar))
    }
  }

  private mutating func emit(_ state: GlobProgram.State) {
    program.states.append(state)
    if case .literal("/") = state { isAtComponentStart = true } else { isAtComponentStart = false }
  }

  private mutating func star() {
    guard position < scalars.count, scalars[position] == "*" else {
      emit(.many(crossesSlash: false))
      return
    }
    while position < scalars.count, scalars[position] == "*" { position += 1 }
    guard isAtComponentStart, position < scalars.count, scalars[position] == "/" else {
      emit(.many(crossesSlash: true))
      return
    }
    position += 1
    let fork = program.states.count
    program.states.append(.fork([fork + 1, fork + 3]))
    emit(.many(crossesSlash: true))
    emit(.literal("/"))
  }

  private mutating func openGroup(_ start: Int) {
    let fork = program.states.count
    program.states.append(.fork([]))
    groups.append(
      Group(
        opening: start, fork: fork, branches: [fork + 1], startsComponent: isAtComponentStart,
        endsComponentStart: true))
  }

  private mutating func nextBranch() {
    guard var group = groups.popLast() else { return }
    finishBranch(of: &group)
    group.branches.append(program.states.count)
    isAtComponentStart = group.startsComponent
    groups.append(group)
  }

  private mutating func finishBranch(of group: inout Group) {
    group.endsComponentStart = group.endsComponentStart && isAtComponentStart
    group.exits.append(program.states.count)
    program.states.append(.fork([]))
  }

  private mutating func closeGroup() {
    guard var group = groups.popLast() else { return }
    finishBranch(of: &group)
    program.states[group.fork] = .fork(group.branches)
    let behind = program.states.count
    for exit in group.exits { program.states[exit] = .fork([behind]) }
    isAtComponentStart = group.endsComponentStart
  }

  private mutating func scalarClass(from start: Int) throws(Glob.Violation) -> GlobProgram.ScalarClass {
    var result = GlobProgram.ScalarClass()
    if position < scalars.count, scalars[position] == "!" {
      result.isNegated = true
      position += 1
    } else if position < scalars.count, scalars[position] == "^" {
      throw Glob.Violation(
        offset: position, message: "a class that begins with `^`", hint: "write `[!…]` for any other character")
    }
    while true {
      let from = try classScalar(from: start)
      var through = from
      if position + 1 < scalars.count, scalars[position] == "-", scalars[position + 1] != "]" {
        let dash = position
        position += 1
        through = try classScalar(from: start)
        guard from <= through else {
          throw Glob.Violation(offset: dash - 1, message: "a range that ends before it begins")
        }
      }
      result.ranges.append(from...through)
      if position < scalars.count, scalars[position] == "]" {
        position += 1
        return result
      }
    }
  }

  /// One character of a class; a `]` in first place stands for itself.
  private mutating func classScalar(from start: Int) throws(Glob.Violation) -> Unicode.Scalar {
    if position < scalars.count, scalars[position] == "\\" { position += 1 }
    guard position < scalars.count else {
      throw Glob.Violation(offset: start, message: "a `[` without its `]`", hint: "write `\\[` for a bracket")
    }
    defer { position += 1 }
    return scalars[position]
  }
}
