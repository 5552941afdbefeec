// Looks at places and reads files; what the digests mean is `MirrorPlan.VerifyExpectation`.

import LocalFiles
import MirrorPlan
import TransferModel

/// Verifies batches of places on a thread that may block. A value; any thread.
struct FileVerifier: Sendable {
  struct Result: Sendable {
    var finding: VerifyFinding
    /// The row to write, because the file was proven.
    var row: StateRow?
    /// For what is not as it must be: where.
    var fault: RelativePath?
    var failure: TransferFailure?
  }

  let directories: DirectoryCache?
  let control: RunControl
  /// When a file that was proven counts as proven still; nil = never.
  let cutoff: Timestamp?
  let now: Timestamp

  /// The results in the order of the batch; it is cut short when the run is told to stop.
  func verify(_ batch: [VerifyCandidate]) -> [Result] {
    var results: [Result] = []
    results.reserveCapacity(batch.count)
    var hashes: [DigestAlgorithms: FileHash] = [:]
    for candidate in batch {
      guard control.stop == nil, let result = verify(candidate, &hashes) else { break }
      results.append(result)
    }
    return results
  }

  private func verify(
    _ candidate: VerifyCandidate, _ hashes: inout [DigestAlgorithms: FileHash]
  ) -> Result? {
    if let failure = candidate.failure { return unreadable(candidate, failure) }
    guard let path = candidate.path else { return Result(finding: VerifyFinding(candidate.display, .unknown)) }
    let expectation = VerifyExpectation(
      pins: candidate.item?.pins ?? DigestSet(), locked: candidate.locked, recorded: candidate.row?.file,
      isItem: candidate.item != nil,
      content: candidate.item?.settings.content ?? candidate.row?.file.content ?? .stored)
    do throws(TransferFailure) {
      let local = try fact(candidate, path)
      switch expectation.step(local, provenSince: cutoff) {
      case .settled(let verdict, let why): return result(candidate, local, verdict, why)
      case .read(let algorithms):
        guard let read = try read(path, algorithms, &hashes) else { return result(candidate, .absent, .missing, nil) }
        let (verdict, why) = expectation.judge(read.digests)
        var result = result(candidate, .file(read.stamp, mode: 0), verdict, why)
        if verdict == .proven { result.row = proven(candidate.row, read) }
        return result
      }
    } catch {
      return error.failureClass == .cancelled ? nil : unreadable(candidate, error)
    }
  }

  private func fact(_ candidate: VerifyCandidate, _ path: RelativePath) throws(TransferFailure) -> LocalFact {
    guard let status = candidate.status else {
      return try LocalSurvey(directories: directories, state: nil).fact(at: path)
    }
    return LocalFact(status)
  }

  private func read(
    _ path: RelativePath, _ algorithms: DigestAlgorithms, _ hashes: inout [DigestAlgorithms: FileHash]
  ) throws(TransferFailure) -> (digests: DigestSet, stamp: LocalStamp)? {
    guard let directories else { return nil }
    let hash: FileHash
    if let made = hashes[algorithms] {
      hash = made
    } else {
      hash = try FileHash(algorithms, in: directories)
      hashes[algorithms] = hash
    }
    for _ in 0..<3 {
      guard let read = try hash.hash(path, isCancelled: { control.stop != nil }) else { return nil }
      if read.isStable { return (read.digests, read.after) }
    }
    throw TransferFailure(
      .ioError, .local, "\(path): the file is being changed while it is read",
      hint: "Let nothing else write below the root meanwhile.")
  }

  /// The row of a file that is still the one that was recorded, seen again now.
  private func proven(_ row: StateRow?, _ read: (digests: DigestSet, stamp: LocalStamp)) -> StateRow? {
    guard var row else { return nil }
    // Another time is left to `apply`, which sets the one that it had given the file.
    if row.file.stamp.modified == read.stamp.modified { row.file.stamp = read.stamp }
    row.file.proven = now
    for digest in read.digests.all where row.file.digests[digest.algorithm] == nil {
      row.file.digests[digest.algorithm] = digest
    }
    return row
  }

  private func result(
    _ candidate: VerifyCandidate, _ local: LocalFact, _ verdict: VerifyVerdict, _ why: String?
  ) -> Result {
    var size: Int64?
    if case .file(let stamp, _) = local { size = stamp.size }
    return Result(
      finding: VerifyFinding(candidate.display, verdict, size: size, why: why),
      fault: verdict.isFault ? candidate.path : nil)
  }

  private func unreadable(_ candidate: VerifyCandidate, _ failure: TransferFailure) -> Result {
    Result(
      finding: VerifyFinding(candidate.display, .unreadable, why: failure.message), fault: nil, failure: failure)
  }
}

extension LocalFact {
  init(_ status: FileStatus) {
    switch status.kind {
    case .file: self = .file(status.stamp, mode: status.mode & 0o777)
    case .directory: self = .directory
    case .symlink: self = .symlink
    case .other: self = .other
    }
  }
}
