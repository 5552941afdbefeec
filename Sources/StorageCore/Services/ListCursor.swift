// Guards one list against servers that page for ever, or out of order.

package import TransferModel

/// Follows the pages of one list. Memory does not grow with their number.
///
/// A token that comes again ends the list with an error: at once when it is the token just used, and otherwise by Brent's
/// method, which keeps one earlier token and meets it again after at most three rounds of any cycle. Empty pages with a
/// token are in order.
package struct ListCursor: Sendable {
  package enum Violation: Error, Hashable, Sendable {
    case repeatedToken
    /// Names must rise byte by byte; this one does not.
    case unordered(ObjectName)
    case repeatedName(ObjectName)

    /// What happened, one sentence.
    package var message: String {
      switch self {
      case .repeatedToken: "the server gave a page token for the second time, so the list would never end"
      case .unordered(let name): "the server lists \(name) out of order"
      case .repeatedName(let name): "the server lists \(name) twice"
      }
    }

    package var failure: TransferFailure {
      TransferFailure(
        .listingFailed, .permanent, "The list cannot be trusted: \(message).",
        hint: "Nothing is deleted on the ground of such a list; the fault is the server's.")
    }
  }

  /// The token of the page to ask for; nil before the first page and when the list is complete.
  package private(set) var token: String?
  package private(set) var isComplete = false

  private let expectsOrder: Bool
  private var lastName: ObjectName?
  private var landmark: String?
  private var stepsToNextLandmark = 1
  private var stride = 1

  /// `expectsOrder` also holds the names against byte order, as Google's API promises it.
  package init(expectsOrder: Bool) { self.expectsOrder = expectsOrder }

  /// Takes note of a page. After an error the cursor must not be used.
  package mutating func accept(_ page: ObjectListPage) throws(Violation) {
    if expectsOrder { try checkOrder(page.items) }
    guard let next = page.nextPageToken else {
      token = nil
      isComplete = true
      return
    }
    guard next != token, next != landmark else { throw .repeatedToken }
    stepsToNextLandmark -= 1
    if stepsToNextLandmark == 0 {
      landmark = next
      stride *= 2
      stepsToNextLandmark = stride
    }
    token = next
  }

  private mutating func checkOrder(_ items: [ObjectListPage.Item]) throws(Violation) {
    for item in items {
      if let lastName {
        if item.name == lastName { throw .repeatedName(item.name) }
        if item.name < lastName { throw .unordered(item.name) }
      }
      lastName = item.name
    }
  }
}
