// Tells a name that does not exist from a name server that does not answer. libcurl says the same of both
// (`CURLE_COULDNT_RESOLVE_HOST`), so the resolver is asked once more, on a thread of its own.

import Glibc
import TransferModel

enum NameProbe {
  /// What a failed lookup counts as; `result` is that of `getaddrinfo` (getaddrinfo(3)).
  ///
  /// | result                          | kind                                                |
  /// | ------------------------------- | --------------------------------------------------- |
  /// | no such name, no address for it | nameNotFound                                        |
  /// | anything else                   | nameLookupFailed: it may work later                 |
  /// | 0, so the name is there now     | nameLookupFailed                                    |
  static func kind(ofLookup result: Int32) -> TransportFault.Kind {
    switch result {
    case EAI_NONAME, noData, noAddressFamily: .nameNotFound
    default: .nameLookupFailed
    }
  }

  // Not in the Glibc module; netdb.h gives them with _GNU_SOURCE only.
  private static let noData: Int32 = -5
  private static let noAddressFamily: Int32 = -9

  /// Looks the host up on a new thread, which then calls `answer`. False when there can be no thread.
  static func start(_ host: String, answer: @escaping @Sendable (TransportFault.Kind) -> Void) -> Bool {
    let question = Unmanaged.passRetained(Question(host: host, answer: answer))
    var thread = pthread_t()
    guard pthread_create(&thread, nil, probeThreadMain, question.toOpaque()) == 0 else {
      question.release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  fileprivate static func lookUp(_ host: String) -> Int32 {
    var addresses: UnsafeMutablePointer<addrinfo>?
    let result = getaddrinfo(host, nil, nil, &addresses)
    if let addresses { freeaddrinfo(addresses) }
    return result
  }
}

private final class Question: Sendable {
  let host: String
  let answer: @Sendable (TransportFault.Kind) -> Void

  init(host: String, answer: @escaping @Sendable (TransportFault.Kind) -> Void) {
    self.host = host
    self.answer = answer
  }
}

private let probeThreadMain: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
  guard let argument else { return nil }
  let question = Unmanaged<Question>.fromOpaque(argument).takeRetainedValue()
  question.answer(NameProbe.kind(ofLookup: NameProbe.lookUp(question.host)))
  return nil
}
