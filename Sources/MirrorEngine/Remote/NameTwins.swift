// Looks for an object that looks like one that was not found: the same letters in the other Unicode form. Names are
// compared by bytes everywhere, so all that follows from a twin is a hint.

import MirrorPlan
import StorageCore
import TransferModel

/// Finds twins for the failures of one run, for the first few: each costs one request.
struct NameTwins: Sendable {
  private static let limit = 16

  private let remote: RemoteStore
  private let left = Lock(limit)

  init(_ remote: RemoteStore) { self.remote = remote }

  /// The failure, with a hint when it is a 404 that has a twin in the bucket.
  func explain(_ failure: TransferFailure, of reference: String) async -> TransferFailure {
    guard failure.reason == .notFound, let address = Self.address(reference), let object = address.object,
      let first = object.text.utf8.firstIndex(where: { $0 >= 0x80 })
    else { return failure }
    let mayAsk = left.withLock { left in
      defer { left = max(0, left - 1) }
      return left > 0
    }
    guard mayAsk, let twin = await twin(of: object, in: address.bucket, plain: object.text[..<first]) else {
      return failure
    }
    var explained = failure
    explained.hint =
      "The bucket has an object whose name looks the same, in another Unicode form: write it as in "
      + "\(Self.codes(of: twin, unlike: object))."
    return explained
  }

  /// `gs://bucket/object`, as references are shown.
  private static func address(_ reference: String) -> StorageAddress? {
    guard reference.hasPrefix("gs://"), let slash = reference.utf8.dropFirst(5).firstIndex(of: UInt8(ascii: "/")) else {
      return nil
    }
    let bucket = String(reference[reference.utf8.index(reference.startIndex, offsetBy: 5)..<slash])
    let object = String(reference[reference.utf8.index(after: slash)...])
    return object.isEmpty || bucket.isEmpty ? nil : StorageAddress(bucket: bucket, object: ObjectName(object))
  }

  private func twin(of object: ObjectName, in bucket: String, plain: Substring) async -> ObjectName? {
    let service = remote.service(at: nil)
    // Decomposed, the first letter begins with a plain one, so that one is left out. Firebase lists folders only.
    let folder = plain.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(plain[...$0]) } ?? ""
    let prefix = service.api == .google ? String(Substring(plain.utf8.dropLast())) : folder
    let request = service.list(
      bucket: bucket, prefix: prefix, depth: service.api == .google ? .everything : .folder, pageToken: nil,
      maxResults: StorageAPI.largestPage)
    // A hint is worth one try.
    var settings = TransferSettings()
    settings.retry.statuses = []
    settings.itemDeadline = .seconds(10)
    let page = try? await remote.page(request, service: service, settings: settings)
    return page?.items.first { $0.name.isNormalisationTwin(of: object) }?.name
  }

  /// The code points in which a name differs from another, so that a reader can tell them apart.
  private static func codes(of name: ObjectName, unlike other: ObjectName) -> String {
    let common = zip(name.text.unicodeScalars, other.text.unicodeScalars).prefix { $0 == $1 }.count
    let codes = name.text.unicodeScalars.dropFirst(common).prefix(4).map { scalar in
      let hex = String(scalar.value, radix: 16, uppercase: true)
      return "U+" + String(repeating: "0", count: max(0, 4 - hex.utf8.count)) + hex
    }
    return "\(TerminalText.escape(name.text)), with \(codes.joined(separator: " "))"
  }
}
