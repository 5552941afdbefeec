// Downloads with completion handlers and tasks, in the Apple SDK's words. The async forms are
// `StorageReference+AsyncDownload.swift`.

public import Foundation

extension StorageReference {
  /// Downloads the object into memory.
  ///
  /// - Parameters:
  ///   - maxSize: the most bytes that may come; an object of exactly that size is fine, a larger one ends with
  ///     ``StorageError/downloadSizeExceeded(total:maxSize:)`` before more is held. A negative number is
  ///     ``StorageError/invalidArgument(message:)``.
  ///   - completion: called once, on `Storage.callbackQueue`, with the bytes or with a ``StorageError``. It is no observer, so
  ///     no removal of observers reaches it.
  @discardableResult
  public func getData(
    maxSize: Int64, completion: @escaping @Sendable (_ data: Data?, _ error: (any Error)?) -> Void
  ) -> StorageDownloadTask {
    getData(maxSize: maxSize) { (result: Result<Data, any Error>) in
      switch result {
      case .success(let data): completion(data, nil)
      case .failure(let error): completion(nil, error)
      }
    }
  }

  /// As ``getData(maxSize:completion:)`` with one result.
  @discardableResult
  public func getData(
    maxSize: Int64, completion: @escaping @Sendable (Result<Data, any Error>) -> Void
  ) -> StorageDownloadTask {
    let task = memoryTask(maxSize: maxSize)
    task.whenEnded(on: .callbacks) { result in completion(Self.data(result)) }
    task.enqueue()
    return task
  }

  /// Downloads the object into a file.
  ///
  /// The bytes go to a file beside it and take its name once they are all there and proven; until then, and after any
  /// failure, what stood there stays. Missing folders are made.
  ///
  /// `fileURL` is a `file:` URL, or one without a scheme, whose path is relative to the current directory. Any other is
  /// ``StorageError/invalidArgument(message:)``.
  @discardableResult
  public func write(toFile fileURL: URL) -> StorageDownloadTask {
    let task = fileTask(fileURL)
    task.enqueue()
    return task
  }

  /// As ``write(toFile:)``; `completion` is called once, on `Storage.callbackQueue`, with `fileURL` or with a ``StorageError``.
  @discardableResult
  public func write(
    toFile fileURL: URL, completion: @escaping @Sendable (_ url: URL?, _ error: (any Error)?) -> Void
  ) -> StorageDownloadTask {
    write(toFile: fileURL) { (result: Result<URL, any Error>) in
      switch result {
      case .success(let url): completion(url, nil)
      case .failure(let error): completion(nil, error)
      }
    }
  }

  /// As ``write(toFile:completion:)`` with one result.
  @discardableResult
  public func write(
    toFile fileURL: URL, completion: @escaping @Sendable (Result<URL, any Error>) -> Void
  ) -> StorageDownloadTask {
    let task = fileTask(fileURL)
    task.whenEnded(on: .callbacks) { result in completion(result.map { _ in fileURL }.mapError { $0 }) }
    task.enqueue()
    return task
  }
}

// MARK: - Making tasks

extension StorageReference {
  /// A task that is not started yet.
  func memoryTask(maxSize: Int64) -> StorageDownloadTask {
    task { () throws(StorageError) in
      guard maxSize >= 0 else {
        throw .invalidArgument(message: "Argument 'maxSize' must not be negative, but is \(maxSize).")
      }
      return .memory(maxSize: maxSize)
    }
  }

  /// A task that is not started yet.
  func fileTask(_ url: URL) -> StorageDownloadTask {
    task { () throws(StorageError) in .file(try FileDestination(url)) }
  }

  private func task(_ target: () throws(StorageError) -> DownloadOrder.Target) -> StorageDownloadTask {
    do throws(StorageError) {
      guard path.object != nil else {
        throw .invalidArgument(message: "\(self) is the root of a bucket, which has no bytes to download.")
      }
      let target = try target()
      let order = DownloadOrder(operation: try storage.operation(.download, at: path), target: target)
      return StorageDownloadTask(self, .order(order))
    } catch {
      return StorageDownloadTask(self, .invalid(error))
    }
  }

  /// An object that was received whole has bytes, if only none.
  static func data(_ result: Result<Data?, StorageError>) -> Result<Data, any Error> {
    switch result {
    case .success(let data?): .success(data)
    case .success(nil): .failure(StorageError.internalError(message: "Internal failure in getResultCallback"))
    case .failure(let error): .failure(error)
    }
  }
}
