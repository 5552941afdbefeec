// Downloads as async functions. They need no callback queue, and the cancellation of the surrounding Swift task ends them.

public import Foundation

extension StorageReference {
  /// Downloads the object into memory; see ``getData(maxSize:completion:)``.
  ///
  /// Throws a ``StorageError``; ``StorageError/cancelled`` when the surrounding task is cancelled.
  public func data(maxSize: Int64) async throws -> Data {
    try Self.data(await memoryTask(maxSize: maxSize).outcome()).get()
  }

  /// Downloads the object into a file and returns `fileURL`; see ``write(toFile:)``.
  ///
  /// `onProgress` is called for each progress event, one after the other on a queue of the download's own, and not any more
  /// once this returns. Throws a ``StorageError``; ``StorageError/cancelled`` when the surrounding task is cancelled.
  public func writeAsync(
    toFile fileURL: URL, onProgress: (@Sendable (Progress?) -> Void)? = nil
  ) async throws -> URL {
    let task = fileTask(fileURL)
    if let onProgress {
      task.observe(.progress, on: .waiters) { onProgress($0.progress) }
    }
    _ = try await task.outcome().get()
    return fileURL
  }
}

extension StorageDownloadTask {
  /// Starts the task and waits for its end.
  func outcome() async -> Result<Data?, StorageError> {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        whenEnded(on: .waiters) { continuation.resume(returning: $0) }
        enqueue()
      }
    } onCancel: {
      cancel()
    }
  }
}
