// One place that shows one image after the other: what an image view is to FirebaseUI, without a view.

import Dispatch
public import Foundation
import TransferModel

/// Shows images: a new one takes the place of the one before it, which is not loaded any further.
///
/// ```swift
/// let avatar = StorageImageConsumer(loader: loader) { event in … }
/// avatar.setImage(with: reference, placeholder: grey)
/// ```
public final class StorageImageConsumer: Sendable {
  private struct State {
    var current: UInt64 = 0
    var work: Task<Void, Never>?
  }

  private let loader: StorageImageLoader
  private let show: @Sendable (StorageImageEvent) -> Void
  private let queue: DispatchQueue
  private let state = Lock(State())

  /// - Parameters:
  ///   - queue: where `show` and the completions are called; it must be serial. nil = one of its own.
  ///   - show: called with placeholders and images; never with anything of a load that has been replaced.
  public init(
    loader: StorageImageLoader, queue: DispatchQueue? = nil, show: @escaping @Sendable (StorageImageEvent) -> Void
  ) {
    self.loader = loader
    self.queue = queue ?? DispatchQueue(label: "CloudStorage.imageConsumer")
    self.show = show
  }

  deinit { state.withLock { $0.work.take() }?.cancel() }

  /// Shows the placeholder, then the image of the reference. What was being loaded is cancelled.
  ///
  /// - Parameters:
  ///   - placeholder: shown before anything is sent; it stays when the image cannot be had. nil = what is shown stays.
  ///   - completion: called once, with the image or why there is none; ``StorageError/cancelled`` when it was replaced.
  public func setImage(
    with reference: StorageReference, placeholder: Data? = nil,
    maxImageSize: Int64 = StorageImageLoader.defaultMaxImageSize, options: StorageImageOptions = [],
    completion: (@Sendable (Result<StorageImage, any Error>) -> Void)? = nil
  ) {
    setImage(
      with: reference, placeholder: placeholder, maxImageSize: maxImageSize, options: options, onProgress: nil,
      completion: completion)
  }

  /// The same, told how far the download is, on a queue of the download's own.
  public func setImage(
    with reference: StorageReference, placeholder: Data? = nil,
    maxImageSize: Int64 = StorageImageLoader.defaultMaxImageSize, options: StorageImageOptions = [],
    onProgress: (@Sendable (Progress) -> Void)?, completion: (@Sendable (Result<StorageImage, any Error>) -> Void)?
  ) {
    let (number, replaced) = begin()
    replaced?.cancel()
    queue.async { [self] in
      if let placeholder, isCurrent(number) { show(.placeholder(placeholder)) }
      let work = Task { [weak self, loader, queue] in
        let result: Result<StorageImage, any Error>
        do {
          result = .success(
            try await loader.image(
              for: reference, maxImageSize: maxImageSize, options: options, onProgress: onProgress))
        } catch {
          result = .failure(error)
        }
        queue.async { [weak self] in Self.end(result, shownBy: self, number, completion) }
      }
      if !take(work, number) { work.cancel() }
    }
  }

  /// Ends the load that is under way; what is shown stays.
  public func cancel() { begin().replaced?.cancel() }

  private func begin() -> (number: UInt64, replaced: Task<Void, Never>?) {
    state.withLock { state in
      state.current += 1
      return (state.current, state.work.take())
    }
  }

  /// False when the load has been replaced before it was begun.
  private func take(_ work: Task<Void, Never>, _ number: UInt64) -> Bool {
    state.withLock { state in
      guard state.current == number else { return false }
      state.work = work
      return true
    }
  }

  private func isCurrent(_ number: UInt64) -> Bool { state.withLock { $0.current == number } }

  /// On the queue. An image that came although it was cancelled is not shown.
  private static func end(
    _ result: Result<StorageImage, any Error>, shownBy consumer: StorageImageConsumer?, _ number: UInt64,
    _ completion: (@Sendable (Result<StorageImage, any Error>) -> Void)?
  ) {
    guard let consumer, consumer.isCurrent(number) else {
      completion?(.failure(StorageError.cancelled))
      return
    }
    if case .success(let image) = result { consumer.show(.image(image)) }
    completion?(result)
  }
}
