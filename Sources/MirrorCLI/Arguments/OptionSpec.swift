// One row of a command's table: an option or a positional argument, what the help says of it, and where its value goes.

/// The property that an option or argument is put into.
///
/// Tables take it as an autoclosure: making a key path asks the runtime for types and conformances, the tables of all
/// commands hold a hundred, and a command line uses a handful.
typealias Place<Target, Value> = any WritableKeyPath<Target, Value> & Sendable

/// What the help and the shells need to know of an option.
struct OptionDescription: Hashable, Sendable {
  /// Without the dashes.
  let name: String
  let short: Character?
  /// What stands for the value; nil for a flag.
  let placeholder: String?
  /// One sentence without a full stop, with the default where there is one.
  let help: String
  let completion: ValueCompletion
  /// What stands for a value that may be left out and is given as `--name=value` only; nil = there is none.
  var optionalPlaceholder: String?

  var takesValue: Bool { placeholder != nil }
  var long: String { "--" + name }

  /// The environment variable that gives the same: `MIRROR_LOG_FORMAT` for `--log-format`.
  var variable: String {
    "MIRROR_" + String(name.map { $0 == "-" ? "_" : $0 }).uppercased()
  }
}

/// An option of a command whose parsed form is `Target`.
struct OptionSpec<Target>: Sendable {
  let description: OptionDescription
  /// Reads the text and puts the value in its place. A flag is given `true` or `false`.
  let store: @Sendable (inout Target, String) throws(ValueProblem) -> Void

  /// An option with a value. Given several times, the last one counts.
  static func value<Value>(
    _ name: String, short: Character? = nil, _ reader: ValueReader<Value>,
    into place: @autoclosure @escaping @Sendable () -> Place<Target, Value>, help: String
  ) -> Self {
    Self(
      description: OptionDescription(
        name: name, short: short, placeholder: reader.placeholder, help: help, completion: reader.completion)
    ) { target, text throws(ValueProblem) in
      target[keyPath: place()] = try reader.read(text)
    }
  }

  /// An option with a value that is nil when the option is not given.
  static func value<Value>(
    _ name: String, short: Character? = nil, _ reader: ValueReader<Value>,
    into place: @autoclosure @escaping @Sendable () -> Place<Target, Value?>,
    help: String
  ) -> Self {
    value(name, short: short, reader.optional, into: place(), help: help)
  }

  /// An option with a value that may be given several times; the values are kept in their order.
  static func values<Value>(
    _ name: String, short: Character? = nil, _ reader: ValueReader<Value>,
    into place: @autoclosure @escaping @Sendable () -> Place<Target, [Value]>, help: String
  ) -> Self {
    Self(
      description: OptionDescription(
        name: name, short: short, placeholder: reader.placeholder, help: help, completion: reader.completion)
    ) { target, text throws(ValueProblem) in
      target[keyPath: place()].append(try reader.read(text))
    }
  }

  /// An option without a value, that chooses `on`; `--name=false` chooses `off`.
  static func flag<Value: Sendable>(
    _ name: String, short: Character? = nil, into place: @autoclosure @escaping @Sendable () -> Place<Target, Value>,
    on: Value,
    off: Value, help: String
  ) -> Self {
    Self(
      description: OptionDescription(name: name, short: short, placeholder: nil, help: help, completion: .nothing)
    ) { target, text throws(ValueProblem) in
      target[keyPath: place()] = try isOn(text) ? on : off
    }
  }

  /// An option whose value may be left out: `--name` is `bare`, `--name=false` is `off`, `--name=value` is read.
  static func flag<Value: Sendable>(
    _ name: String, orValue reader: ValueReader<Value>,
    into place: @autoclosure @escaping @Sendable () -> Place<Target, Value>, bare: Value, off: Value,
    help: String
  ) -> Self {
    Self(
      description: OptionDescription(
        name: name, short: nil, placeholder: nil, help: help, completion: .nothing,
        optionalPlaceholder: reader.placeholder)
    ) { target, text throws(ValueProblem) in
      switch text {
      case "true": target[keyPath: place()] = bare
      case "false": target[keyPath: place()] = off
      default: target[keyPath: place()] = try reader.read(text)
      }
    }
  }

  /// A flag that sets a Boolean.
  static func flag(
    _ name: String, short: Character? = nil, into place: @autoclosure @escaping @Sendable () -> Place<Target, Bool>,
    help: String
  ) -> Self {
    flag(name, short: short, into: place(), on: true, off: false, help: help)
  }

  private static func isOn(_ text: String) throws(ValueProblem) -> Bool {
    switch text.lowercased() {
    case "true", "yes", "on", "1": true
    case "false", "no", "off", "0": false
    default: throw ValueProblem("is neither true nor false")
    }
  }
}

/// What the help and the shells need to know of a positional argument.
struct PositionalDescription: Hashable, Sendable {
  /// Upper case, as in the usage line.
  let name: String
  let isRequired: Bool
  /// Whether it takes all arguments that are left; the last one only.
  var isRepeated = false
  let help: String
  let completion: ValueCompletion

  var usage: String { (isRequired ? name : "[\(name)]") + (isRepeated ? "…" : "") }
}

/// An argument that is known by its place. Required ones come first.
struct PositionalSpec<Target>: Sendable {
  let description: PositionalDescription
  let store: @Sendable (inout Target, String) throws(ValueProblem) -> Void

  static func argument<Value>(
    _ reader: ValueReader<Value>, isRequired: Bool = true,
    into place: @autoclosure @escaping @Sendable () -> Place<Target, Value>,
    help: String
  ) -> Self {
    Self(
      description: PositionalDescription(
        name: reader.placeholder, isRequired: isRequired, help: help, completion: reader.completion)
    ) { target, text throws(ValueProblem) in
      target[keyPath: place()] = try reader.read(text)
    }
  }

  /// An argument whose value is nil when it is not given.
  static func argument<Value>(
    _ reader: ValueReader<Value>, into place: @autoclosure @escaping @Sendable () -> Place<Target, Value?>, help: String
  ) -> Self {
    argument(reader.optional, isRequired: false, into: place(), help: help)
  }

  /// All arguments from this place on, none of them required.
  static func repeated<Value>(
    _ reader: ValueReader<Value>, into place: @autoclosure @escaping @Sendable () -> Place<Target, [Value]>,
    help: String
  ) -> Self {
    Self(
      description: PositionalDescription(
        name: reader.placeholder, isRequired: false, isRepeated: true, help: help, completion: reader.completion)
    ) { target, text throws(ValueProblem) in
      target[keyPath: place()].append(try reader.read(text))
    }
  }
}
