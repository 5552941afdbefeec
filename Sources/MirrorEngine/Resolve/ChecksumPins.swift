// Turns `checksum_url:` into pins: each document is fetched once, whoever refers to it.

import MirrorPlan
import TransferModel

extension Resolver {
  /// Pins the entries that name a checksum document; those whose document cannot be had, or does not list them, are
  /// emitted as failed and removed.
  func pinByDocuments(_ entries: inout [Entry], _ emit: @Sendable ([PlannedWork]) async -> Void) async {
    let documents = await fetchDocuments(of: entries)
    guard !documents.isEmpty else { return }
    var failed: [PlannedWork] = []
    entries = entries.compactMap { entry in
      guard let url = entry.checksumURL, let document = documents[url] else { return entry }
      var entry = entry
      do throws(TransferFailure) {
        let digest = try Self.digest(of: entry, in: document.get(), url)
        guard entry.pins[digest.algorithm] ?? digest == digest else { throw Self.contradiction(digest, entry, url) }
        entry.pins[digest.algorithm] = digest
        return entry
      } catch {
        failed.append(.entry(DecidedEntry(EntryFacts(entry: entry), .failed(error))))
        return nil
      }
    }
    if !failed.isEmpty { await emit(failed) }
  }

  private func fetchDocuments(of entries: [Entry]) async -> [HTTPURL: Result<String, TransferFailure>] {
    var documents: [HTTPURL: Result<String, TransferFailure>] = [:]
    for entry in entries {
      guard let url = entry.checksumURL, documents[url] == nil, control.stop == nil else { continue }
      guard !scope.isOffline else {
        documents[url] = .failure(RunScope.notLookedUp(url.description))
        continue
      }
      do throws(TransferFailure) {
        let bytes = try await remote.document(url, settings: entry.settings)
        documents[url] = .success(String(decoding: bytes, as: UTF8.self))
      } catch {
        documents[url] = .failure(error)
      }
    }
    return documents
  }

  /// The digest that the document lists for the entry: under the name of its reference, or of its destination.
  private static func digest(of entry: Entry, in text: String, _ url: HTTPURL) throws(TransferFailure) -> Digest {
    let document = ChecksumDocument(parsing: text, algorithm: algorithm(named: url))
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
