// Downloading: into memory, into a file, with completion handlers and without.

import CloudStorage
import Foundation

/// Into memory, as the Apple SDK's guide does it. No more than a mebibyte is taken.
func loadIsland(_ island: StorageReference, completion: @escaping @Sendable (Int?, String?) -> Void) {
  island.getData(maxSize: 1 * 1024 * 1024) { data, error in
    if let error {
      completion(nil, explain(error))
    } else {
      completion(data?.count, nil)
    }
  }
}

/// The same, waited for.
func islandBytes(_ island: StorageReference) async throws -> Data {
  try await island.data(maxSize: 1 << 20)
}

/// Into a file. What stood there stays until the new bytes are whole and proven.
func saveIsland(_ island: StorageReference, to file: URL, completion: @escaping @Sendable (String) -> Void) {
  island.write(toFile: file) { url, error in
    completion(error.map { explain($0) } ?? "saved as \(url?.lastPathComponent ?? "")")
  }
}

/// The same, waited for, with a word now and then about how far it is.
func saveIsland(_ island: StorageReference, to file: URL, say: @escaping @Sendable (String) -> Void) async throws {
  _ = try await island.writeAsync(toFile: file) { progress in
    guard let progress, progress.totalUnitCount > 0 else { return }
    say("\(100 * progress.completedUnitCount / progress.totalUnitCount) %")
  }
}

/// What became of a download, by every code that there is.
func advice(on error: any Error) -> String {
  let error = error as NSError
  return switch StorageErrorCode(rawValue: error.code) {
  case .objectNotFound: "Check the name: \(error.localizedDescription)"
  case .bucketNotFound, .projectNotFound: "Check the settings: \(error.localizedDescription)"
  case .quotaExceeded: "Come back tomorrow, or pay: \(error.localizedDescription)"
  case .unauthenticated: "Sign in again."
  case .unauthorized: "Ask for permission; signing in again will not help."
  case .retryLimitExceeded: "The network or the service is out of order; try later."
  case .nonMatchingChecksum: "The bytes are not those of the object; try again, and then do not trust the way here."
  case .downloadSizeExceeded:
    "\(error.userInfo["totalSize"] ?? "") bytes are more than \(error.userInfo["maxAllowedSize"] ?? ""); write it to a file."
  case .cancelled: "You wanted it so."
  case .invalidArgument, .bucketMismatch, .pathError: "Mend the program: \(error.localizedDescription)"
  case .internalError: "Report this: \(error.localizedDescription)"
  case .unknown: "It failed: \(error.localizedDescription)"
  case nil: "\(error)"
  }
}
