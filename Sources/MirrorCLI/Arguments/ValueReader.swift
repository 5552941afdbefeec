// How the text of one option or argument becomes a value: one reader a kind.
// Which option takes which kind is the command table's business.

import MirrorPlan
import TransferModel

/// Why a text is no value of the wanted kind; put after "--jobs: 'x' ".
struct ValueProblem: Error, Hashable, Sendable {
  /// A clause: `is not a whole number from 1 to 1024`.
  var message: String
  /// What to write instead; nil when the clause says it all.
  var hint: String?

  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}

/// What a shell can offer for a value.
enum ValueCompletion: Hashable, Sendable {
  case nothing
  case file
  case directory
  case words([String])
}

/// Reads the text that a person wrote into a validated value.
struct ValueReader<Value>: Sendable {
  /// What stands for the value in the help, for example `DURATION`.
  let placeholder: String
  let completion: ValueCompletion
  let read: @Sendable (String) throws(ValueProblem) -> Value

  init(
    _ placeholder: String, completion: ValueCompletion = .nothing,
    read: @escaping @Sendable (String) throws(ValueProblem) -> Value
  ) {
    self.placeholder = placeholder
    self.completion = completion
    self.read = read
  }

  /// The same reader under another name in the help.
  func named(_ placeholder: String) -> Self {
    Self(placeholder, completion: completion, read: read)
  }
}

extension ValueReader {
  /// The same reader for a property that may also be nil.
  var optional: ValueReader<Value?> {
    ValueReader<Value?>(placeholder, completion: completion) { text throws(ValueProblem) in try read(text) }
  }
}

extension ValueReader where Value == String {
  /// Any text that is not empty.
  static var text: Self {
    Self("TEXT") { text throws(ValueProblem) in try notEmpty(text) }
  }

  /// A path as the system takes it; it need not exist.
  static var file: Self {
    Self("FILE", completion: .file) { text throws(ValueProblem) in try path(text) }
  }

  static var directory: Self {
    Self("DIR", completion: .directory) { text throws(ValueProblem) in try path(text) }
  }

  private static func notEmpty(_ text: String) throws(ValueProblem) -> String {
    guard !text.isEmpty else { throw ValueProblem("is empty") }
    return text
  }

  private static func path(_ text: String) throws(ValueProblem) -> String {
    guard !text.utf8.contains(0) else { throw ValueProblem("has a NUL, which no path may have") }
    return try notEmpty(text)
  }
}

extension ValueReader where Value == FileOrStream {
  /// A path, or `-` for the standard stream.
  static var fileOrStream: Self {
    Self("FILE", completion: .file) { text throws(ValueProblem) in
      text == "-" ? .standardStream : .file(try ValueReader<String>.file.read(text))
    }
  }
}

extension ValueReader {
  /// The same reader for the first of several values.
  var first: ValueReader<[Value]> {
    ValueReader<[Value]>(placeholder, completion: completion) { text throws(ValueProblem) in [try read(text)] }
  }
}

extension ValueReader where Value == RelativePath {
  /// A place below the root.
  static var destination: Self {
    Self("DEST") { text throws(ValueProblem) in
      do throws(RelativePath.Violation) {
        return try RelativePath(text)
      } catch {
        throw ValueProblem(
          "is no place below the root: \(error.rawValue)", hint: "write it as the manifest or the plan has it")
      }
    }
  }
}

extension ValueReader where Value == LockChoice {
  /// Destinations with commas between them; a comma that is part of a name cannot be written here.
  static var lockUpdate: Self {
    Self("DEST,…") { text throws(ValueProblem) in
      var only: Set<RelativePath> = []
      for part in text.split(separator: ",") {
        do throws(RelativePath.Violation) {
          only.insert(try RelativePath(String(part)))
        } catch {
          throw ValueProblem(
            "has a destination that is none: \(error.rawValue)", hint: "write destinations as the manifest has them")
        }
      }
      guard !only.isEmpty else { throw ValueProblem("names no destination") }
      return .updated(only: only)
    }
  }
}

extension ValueReader where Value == ShardChoice {
  /// `3/8`, `auto` or `auto/8`.
  static var shard: Self {
    Self("K/N") { text throws(ValueProblem) in
      if text == "auto" { return .automatic(count: nil) }
      if let shard = Shard(parsing: text) { return .one(shard) }
      if text.hasPrefix("auto/"), let last = Shard(parsing: "1/" + text.dropFirst(5)) {
        return .automatic(count: last.count)
      }
      throw ValueProblem(
        "is no shard", hint: "write 3/8 for the third of eight, or auto for what the engine's variables say")
    }
  }
}

extension ValueReader where Value == Int {
  /// A whole number in decimal digits; no sign, no separators.
  static func integer(in range: ClosedRange<Int>) -> Self {
    Self("N") { text throws(ValueProblem) in
      let digits = !text.isEmpty && text.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
      guard digits, let number = Int(text), range.contains(number) else {
        throw ValueProblem("is not a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      return number
    }
  }
}

extension ValueReader where Value == ByteCount {
  static var byteCount: Self {
    Self("SIZE") { text throws(ValueProblem) in
      guard let count = ByteCount(parsing: text) else {
        throw ValueProblem("is not a size", hint: "write a number with a unit, such as 512KiB, 10MiB or 2GiB")
      }
      return count
    }
  }
}

extension ValueReader where Value == Duration {
  static var duration: Self {
    Self("DURATION") { text throws(ValueProblem) in
      guard let duration = Duration(parsing: text) else {
        throw ValueProblem("is not a duration", hint: "write a number with a unit, such as 30s, 5m, 2h or 7d")
      }
      return duration
    }
  }
}

extension ValueReader where Value: CaseIterable & RawRepresentable & Sendable, Value.RawValue == String {
  /// One of the cases, by its raw value; compared byte for byte.
  static var choice: Self {
    let words = Value.allCases.map(\.rawValue)
    return Self(words.joined(separator: "|"), completion: .words(words)) { text throws(ValueProblem) in
      guard let value = Value(rawValue: text) else {
        throw ValueProblem("is none of \(words.joined(separator: ", "))")
      }
      return value
    }
  }
}

extension ValueReader where Value == Digest {
  /// 64 hexadecimal digits, as `sha256sum` prints them; the other spellings that manifests know, too.
  static var sha256: Self {
    Self("HEX") { text throws(ValueProblem) in
      do throws(Digest.Violation) {
        return try Digest(parsing: text, as: .sha256)
      } catch {
        throw ValueProblem("is no checksum: \(error.message)")
      }
    }
  }
}

extension ValueReader where Value == Origin {
  /// The address of an emulator: `host:port`, or a URL without a path.
  static var origin: Self {
    Self("HOST:PORT") { text throws(ValueProblem) in
      let hint = "write it as 127.0.0.1:9199 or http://127.0.0.1:9199"
      let url: HTTPURL
      do throws(HTTPURL.Violation) {
        url = try HTTPURL(
          parsing: text.utf8.starts(with: "http".utf8) && text.contains("://") ? text : "http://" + text)
      } catch {
        throw ValueProblem("is no address: \(error.rawValue)", hint: hint)
      }
      guard url.path == "/", url.query == nil, url.userInfo == nil else {
        throw ValueProblem("is more than an address", hint: hint)
      }
      return url.origin
    }
  }
}
