// One file of a list, before it is an item of a manifest.

import TransferModel

/// What a list says of one file.
struct ImportedItem {
  var mark: SourceMark
  /// Where it can be had, as written, in the order in which they are tried.
  var references: [String]
  /// What the first of them is.
  var first: Reference
  /// What the list calls it, below its folder; nil = the reference decides.
  var name: String?
  /// The folder, below the root.
  var folder: String?
  var size: Int64?
  var digests = DigestSet()

  init(_ mark: SourceMark, _ references: [String], _ first: Reference) {
    self.mark = mark
    self.references = references
    self.first = first
  }
}

/// What the files of a list are called that the list gives no name.
package enum ImportLayout: String, CaseIterable, Sendable {
  /// The last part of the URL's path, as `wget`, `aria2` and `curl -O` do it.
  case name
  /// The host (or the bucket) and the whole path, as `wget -x` and Storage Transfer Service do it.
  case path

  /// The destination of what a reference names; nil when there is nothing at its end that could be a name.
  func destination(of reference: Reference) -> String? {
    guard let name = reference.lastName else { return nil }
    guard self == .path else { return name }
    switch reference {
    case .storage(let address): return address.object.map { "\(address.bucket)/\($0.text)" }
    case .web(let url): return PercentEncoding.decode(url.path).map { url.origin.host + $0 }
    }
  }
}
