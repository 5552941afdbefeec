// The two interfaces through which the same objects can be had.

package import TransferModel

/// Which service is spoken to.
///
/// | | `firebase` | `google` |
/// | --- | --- | --- |
/// | credentials | Firebase ID token, App Check, none | OAuth access token, none |
/// | who decides | security rules | IAM |
/// | names with `//` or `/` at an end | hidden from lists, unreachable for the SDK | plain names |
/// | a list says | names only | size, generation, checksums |
/// | a version can be pinned | no: the response head must be compared | `generation=` |
package enum StorageAPI: Hashable, Sendable, CaseIterable {
  case firebase
  case google

  /// Where the service lives unless an emulator is named.
  package var defaultOrigin: Origin {
    switch self {
    case .firebase: Origin(scheme: .https, host: "firebasestorage.googleapis.com")
    case .google: Origin(scheme: .https, host: "storage.googleapis.com")
    }
  }

  /// The most entries (objects and prefixes together) that a list page may have.
  package static let largestPage = 1_000
}
