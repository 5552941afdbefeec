// One object to one place, without a manifest and without a state: `mirror get`.

import FileTransfer
import LocalFiles
package import MirrorPlan
package import TransferModel

/// What to get, and where to put it.
package struct SingleGet: Sendable {
  package enum Destination: Sendable {
    case standardOutput
    /// A path; one that ends in `/`, or is a directory, gets the object's own last name below it.
    case file(String)
  }

  package var reference: Reference
  package var access: ServiceAccess
  /// By default the object's last name in the working directory.
  package var destination = Destination.file("./")
  package var maximumSize: ByteCount?
  package var sha256: Digest?
  package var retryBudget: Duration?

  package init(reference: Reference, access: ServiceAccess) {
    self.reference = reference
    self.access = access
  }

  /// Fetches it; the result says in one line what came.
  package func run(
    _ environment: RunEnvironment, control: RunControl, progress: RunProgress
  ) async -> Result<String, RunRefusal> {
    do throws(RunRefusal) {
      let parts = try access.parts(environment)
      guard let endpoint = parts.remote.endpoint(of: reference) else {
        throw Self.refusal(
          TransferFailure(.invalidRequest, .permanent, "\(reference.display) names a bucket, not an object"), .usage)
      }
      let target = try target()
      let result = await download(parts.services, endpoint, target, control, progress)
      switch result.ending {
      case .stored(let object), .identical(let object):
        return .success("\(target.name): \(ByteCount(object.size)), proven by \(object.evidence.words)")
      case .unchanged: return .success("\(target.name): unchanged")
      case .failed(let failure):
        throw Self.refusal(failure, ExitStatus.contribution(of: failure) ?? .failedForGood)
      }
    } catch {
      return .failure(error)
    }
  }

  private func download(
    _ services: TransferServices, _ endpoint: any ObjectEndpoint, _ target: Target, _ control: RunControl,
    _ progress: RunProgress
  ) async -> DownloadResult {
    // A part that was left would never be continued, so it is not written down what it holds.
    var terms = DownloadTerms(maxSize: maximumSize?.bytes, ranges: RangePolicy(), progress: progress.received)
    if let retryBudget { terms.retry.budget = retryBudget }
    let spec = DownloadSpec(
      endpoints: [endpoint], owner: target, terms: Shared(terms),
      pins: DownloadSpec.Pins(digests: DigestSet([sha256].compactMap { $0 })))
    let streams = RangePolicy().streams
    let pool = TransferPool(services: services, slots: streams...streams, perHost: streams)
    control.onStop { pool.cancel($0.failure) }
    await pool.submit([TransferJob(ticket: 0, spec: Shared(spec))])
    pool.close()
    var last = DownloadResult(ending: .failed(RunControl.Stop.failFast.failure))
    while let batch = await pool.nextBatch() { last = batch.last?.result ?? last }
    return last
  }

  private static func refusal(_ failure: TransferFailure, _ status: ExitStatus) -> RunRefusal {
    RunRefusal(status: status, failure: failure)
  }
}

extension SingleGet {
  /// The place, found out before anything is asked.
  private final class Target: DownloadOwner {
    /// For messages.
    let name: String
    /// nil = standard output.
    let file: (directories: DirectoryCache, path: RelativePath)?

    init(name: String, file: (directories: DirectoryCache, path: RelativePath)? = nil) {
      self.name = name
      self.file = file
    }

    func openSink(_ algorithms: DigestAlgorithms, _: ObjectVersion) throws(TransferFailure) -> any ByteSink {
      let digest = try StreamingDigest(algorithms)
      guard let file else { return DescriptorSink(1, name: name, digest: digest) }
      return try PartialFile(file.path, in: file.directories, digest: digest)
    }
  }

  private func target() throws(RunRefusal) -> Target {
    guard case .file(var path) = destination else { return Target(name: "standard output") }
    if path.hasSuffix("/") || (try? RootDirectory(opening: path)) != nil {
      guard let name = reference.lastName, !name.isEmpty else {
        throw Self.refusal(
          TransferFailure(
            .invalidRequest, .permanent, "\(reference.display) has no last name to use for the file",
            hint: "Name the file: `mirror get REF FILE`, or - for standard output."), .usage)
      }
      path += path.hasSuffix("/") ? name : "/" + name
    }
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let last = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    do {
      let name = try RelativePath(last)
      let root = try RootDirectory(opening: folder, creating: true)
      return Target(name: path, file: (DirectoryCache(root), name))
    } catch let failure as TransferFailure {
      throw Self.refusal(failure, .localResource)
    } catch {
      throw Self.refusal(
        TransferFailure(
          .unsafeName, .permanent, "\(TerminalText.escape(path)) is no name for a file", hint: "Name the file."),
        .usage)
    }
  }
}

extension StoredObject.Evidence {
  fileprivate var words: String {
    switch self {
    case .pinnedDigest: "the pinned checksum"
    case .serverDigest: "the server's checksum"
    case .length: "its length"
    case .none: "nothing: the server sent neither length nor checksum"
    }
  }
}
