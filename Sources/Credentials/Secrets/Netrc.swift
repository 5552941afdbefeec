// Reads `.netrc` files, as the GNU manual of inetutils describes them (section "The .netrc file").

/// The logins of a `.netrc` file.
///
/// Words are divided by blanks and line breaks; a word may stand in double quotes, where `\"`, `\\`, `\n`, `\r` and `\t`
/// are understood (as curl does). `#` at the beginning of a word makes a comment up to the line's end, except where a value is
/// expected: passwords may begin with it. `macdef` goes to the next empty line and is passed over.
struct Netrc {
  struct Login {
    var user: String
    var password: String
  }

  private struct Entry {
    /// nil = `default`.
    var machine: String?
    var user: String?
    var password: String?
  }

  private var entries: [Entry] = []

  init(_ text: String) {
    var words = NetrcWords(text)
    while let word = words.next() {
      switch word {
      case "machine": if let name = words.value() { entries.append(Entry(machine: name.lowercased())) }
      case "default": entries.append(Entry())
      case "macdef": words.skipMacro()
      case "login": set(words.value()) { $0.user = $1 }
      case "password": set(words.value()) { $0.password = $1 }
      case "account": _ = words.value()
      default: continue
      }
    }
  }

  private mutating func set(_ value: String?, _ assign: (inout Entry, String) -> Void) {
    guard let value, !entries.isEmpty else { return }
    assign(&entries[entries.count - 1], value)
  }

  /// The first machine of that name that has both, else the first `default` that has. Names know no case.
  func login(for host: String) -> Login? {
    let named = entries.filter { $0.machine == host.lowercased() }
    for entry in named + entries.filter({ $0.machine == nil }) {
      if let user = entry.user, let password = entry.password { return Login(user: user, password: password) }
    }
    return nil
  }
}

private struct NetrcWords {
  private let bytes: [UInt8]
  private var place = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  /// The next word, comments passed over.
  mutating func next() -> String? {
    while true {
      skipBlanks()
      guard place < bytes.count else { return nil }
      guard bytes[place] == UInt8(ascii: "#") else { return word() }
      while place < bytes.count, bytes[place] != 0x0A { place += 1 }
    }
  }

  mutating func value() -> String? {
    skipBlanks()
    return place < bytes.count ? word() : nil
  }

  /// Up to the first empty line.
  mutating func skipMacro() {
    while place < bytes.count {
      if bytes[place...].starts(with: [0x0A, 0x0A]) || bytes[place...].starts(with: [0x0A, 0x0D, 0x0A]) { return }
      place += 1
    }
  }

  private mutating func skipBlanks() {
    while place < bytes.count, bytes[place] <= 0x20 { place += 1 }
  }

  private mutating func word() -> String {
    let isQuoted = bytes[place] == UInt8(ascii: "\"")
    if isQuoted { place += 1 }
    var word: [UInt8] = []
    while place < bytes.count {
      let byte = bytes[place]
      if isQuoted ? byte == UInt8(ascii: "\"") : byte <= 0x20 { break }
      place += 1
      guard isQuoted, byte == UInt8(ascii: "\\"), place < bytes.count else {
        word.append(byte)
        continue
      }
      word.append(Self.escapes[bytes[place]] ?? bytes[place])
      place += 1
    }
    if isQuoted, place < bytes.count { place += 1 }
    return String(decoding: word, as: UTF8.self)
  }

  private static let escapes: [UInt8: UInt8] = [
    UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
  ]
}
