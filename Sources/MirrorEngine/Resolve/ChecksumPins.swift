// Turns `checksum_url:` into pins: each document is fetched once, whoever refers to it.

import MirrorPlan
import TransferModel

/// The documents of a run that were asked for, by their URLs.
struct ChecksumDocuments: Sendable {
  fileprivate var found: [HTTPURL: Result<ChecksumDocument, TransferFailure>] = [:]
}

extension Resolver {
  /// Pins the entries that name a checksum document; those whose document cannot be had, or does not list them, are
  /// refused.
  func pinByDocuments(_ batch: inout ItemBatch, _ documents: inout ChecksumDocuments) async {
    guard batch.members.contains(where: { $0.entry.checksumURL != nil }) else { return }
    await fetchDocuments(of: batch, &documents)
    var refused: [PlannedWork] = []
    batch.members = batch.members.compactMap { member in
      var member = member
      guard let url = member.entry.checksumURL, let document = documents.found[url] else { return member }
      do throws(TransferFailure) {
        let digest = try Self.digest(of: member.entry, in: document.get(), url)
        guard member.entry.pins[digest.algorithm] ?? digest == digest else {
          throw Self.contradiction(digest, member.entry, url)
        }
        member.entry.pins[digest.algorithm] = digest
        return member
      } catch {
        refused.append(.entry(DecidedEntry(EntryFacts(entry: member.entry), .failed(error))))
        return nil
      }
    }
    batch.refused += refused
  }

  private func fetchDocuments(of batch: ItemBatch, _ documents: inout ChecksumDocuments) async {
    for entry in batch.members.lazy.map(\.entry) {
      guard let url = entry.checksumURL, documents.found[url] == nil, control.stop == nil else { continue }
      guard !scope.isOffline else {
        documents.found[url] = .failure(RunScope.notLookedUp(url.description))
        continue
      }
      do throws(TransferFailure) {
        let bytes = try await remote.document(url, settings: entry.settings)
        documents.found[url] = .success(
          ChecksumDocument(parsing: String(decoding: bytes, as: UTF8.self), algorithm: Self.algorithm(named: url)))
      } catch {
        documents.found[url] = .failure(error)
      }
    }
  }

  /// The digest that the document lists for the entry: under the name of its reference, or of its destination.
  private static func digest(
    of entry: Entry, in document: ChecksumDocument, _ url: HTTPURL
  ) throws(TransferFailure) -> Digest {
    var names = [entry.destination.name]
    if case .web(let reference) = entry.references[0],
      let last = reference.path.split(separator: "/").last, let decoded = PercentEncoding.decode(String(last))
    {
      names.insert(decoded, at: 0)
    }
    var refusal: ChecksumDocument.Violation?
    for name in names {
      do {
        return try document.digest(for: name)
      } catch {
        refusal = refusal ?? error
      }
    }
    throw TransferFailure(
      .notComparable, .permanent,
      "\(url) gives no checksum for \(TerminalText.escape(names[0])): \(refusal?.message ?? "it is not listed")",
      hint: "Check `checksum_url`, or pin the digest in the manifest.")
  }

  /// Documents are named after their algorithm (`SHA512SUMS`, `x.tgz.md5`); SHA-256 unless the name says otherwise.
  private static func algorithm(named url: HTTPURL) -> DigestAlgorithm {
    let name = url.path.lowercased()
    if name.contains("sha512") || name.contains("sha-512") { return .sha512 }
    return name.contains("md5") ? .md5 : .sha256
  }

  private static func contradiction(_ digest: Digest, _ entry: Entry, _ url: HTTPURL) -> TransferFailure {
    TransferFailure(
      .checksumMismatch, .permanent,
      "\(entry.destination): \(url) lists \(digest), but the manifest pins \(entry.pins[digest.algorithm]?.hex ?? "")",
      hint: "Correct the pin, or find out who replaced the object.")
  }
}
