// What a reference says beside where its bytes are: the name that a folder destination keeps, and a pinned generation.

import TransferModel

extension Reference {
  /// The last name of the object or URL, decoded; nil when there is none (a bucket, a name that ends in `/`, a broken
  /// escape).
  package var lastName: String? {
    let slash = UInt8(ascii: "/")
    switch self {
    case .storage(let address):
      guard let name = address.object?.text.utf8 else { return nil }
      let last = name.lastIndex(of: slash).map { name[$0...].dropFirst() } ?? name[...]
      return last.isEmpty ? nil : String(Substring(last))
    case .web(let url):
      let path = url.pathUTF8
      let last = path.lastIndex(of: slash).map { path[$0...].dropFirst() } ?? path[...]
      return last.isEmpty ? nil : PercentEncoding.decode(Substring(last))
    }
  }

  /// Why a reference that is written like this names no single object; nil = it does.
  func lackOfObject(writtenAs text: String) -> Violation? {
    guard case .storage(let address) = self else { return nil }
    let hint = "a whole folder is an entry of `trees:`"
    if address.object == nil { return Violation("the reference names a bucket, not an object", hint: hint) }
    guard text.utf8.last == UInt8(ascii: "/") else { return nil }
    return Violation("the reference names a folder, not an object", hint: hint)
  }

  /// The generation that a link to an object asks for by `generation=`; nil when it names none.
  static func generation(ofLink text: String) -> Int64? {
    guard let url = try? HTTPURL(parsing: text) else { return nil }
    return url.queryItems.first { $0.name == "generation" }.flatMap { ASCII.number($0.value.utf8) }
  }
}
