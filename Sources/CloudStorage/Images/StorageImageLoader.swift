// Loads images of references through a memory and a disk cache, as FirebaseUI does it for views. Whoever shows them, and
// decodes them, is not here; one place that shows one image after the other is `StorageImageConsumer`.

import CurlTransport
import Dispatch
public import Foundation
package import TransferModel

/// Gives the bytes of images, downloading each only once.
///
/// | where | looked up | kept |
/// | --- | --- | --- |
/// | memory | first | up to `memoryLimit`, least recently used first to go |
/// | disk | then | as the ``StorageCache`` says |
/// | service | last | one download for all who ask meanwhile; the last one who goes ends it |
///
/// A hit sends nothing, so an object that was replaced is served as it was, unless ``StorageImageOptions/refreshCached`` or
/// ``StorageImageOptions/generationInKey`` is asked for. An object that does not exist is asked for again only after
/// `failureAge`; any other failure is tried anew each time. What is cached is known by its URL alone: for users who may not see
/// the same images, use a loader and a folder each. All methods may be called from any thread.
public final class StorageImageLoader: Sendable {
  /// The largest image in bytes, unless a request says otherwise.
  public static let defaultMaxImageSize: Int64 = 10_000_000

  private struct State {
    var memory: ImageMemory
    var failures: ImageFailures
    var flights: [ImageFlightKey: ImageFlight] = [:]
    var lastFlight: UInt64 = 0
  }

  /// The disk cache; nil = none.
  public let cache: StorageCache?
  private let clocks: any Clocks
  private let state: Lock<State>
  /// Files are read and written here, not on the few threads that run tasks.
  private let disk = DispatchQueue(label: "CloudStorage.images", attributes: .concurrent)

  /// - Parameters:
  ///   - cache: nil = nothing is kept on disk.
  ///   - memoryLimit: bytes of images in memory; 64 MiB unless given.
  ///   - memoryAge: how long they are used; a day unless given.
  ///   - failureAge: how long it is believed that an object is not there; 5 minutes unless given.
  public convenience init(
    cache: StorageCache? = nil, memoryLimit: Int64 = 64 << 20, memoryAge: Duration = .seconds(86_400),
    failureAge: Duration = .seconds(300)
  ) {
    self.init(
      cache: cache, memoryLimit: memoryLimit, memoryAge: memoryAge, failureAge: failureAge, clocks: SystemClocks())
  }

  package init(
    cache: StorageCache?, memoryLimit: Int64 = 64 << 20, memoryAge: Duration = .seconds(86_400),
    failureAge: Duration = .seconds(300), clocks: any Clocks
  ) {
    self.cache = cache
    self.clocks = clocks
    state = Lock(
      State(
        memory: ImageMemory(limit: memoryLimit, age: Int64(memoryAge.inSeconds)),
        failures: ImageFailures(age: Int64(failureAge.inSeconds))))
  }

  private var now: Int64 { clocks.utc().seconds }
}

// MARK: - Loading

extension StorageImageLoader {
  /// The image of a reference, from wherever it is nearest.
  ///
  /// - Parameter onProgress: called while this image is downloaded, on a queue of the download's own.
  ///
  /// Throws a ``StorageError``: ``StorageError/downloadSizeExceeded(total:maxSize:)`` for more than `maxImageSize` bytes,
  /// ``StorageError/cancelled`` when the surrounding task is cancelled.
  public func image(
    for reference: StorageReference, maxImageSize: Int64 = StorageImageLoader.defaultMaxImageSize,
    options: StorageImageOptions = [], onProgress: (@Sendable (Progress) -> Void)? = nil
  ) async throws -> StorageImage {
    var key = reference.cacheKey
    if !options.contains(.retryFailed), let error = state.withLock({ $0.failures.error(for: key, now: now) }) {
      throw error
    }
    var generation: Int64?
    if !options.isDisjoint(with: [.refreshCached, .generationInKey]) {
      generation = try await currentGeneration(of: reference, key: key)
    }
    if options.contains(.generationInKey), let generation { key += "#\(generation)" }
    let wanted = ImageFlightKey(key: key, maxSize: maxImageSize, generation: generation)
    if let kept = state.withLock({ $0.memory.image(for: key, now: now) }), wanted.accepts(kept.generation) {
      return try wanted.checked(kept, .memory, reference)
    }
    let asker = ImageAsker(onProgress: onProgress)
    return try await withTaskCancellationHandler {
      join(wanted, asker, reference)
      // A cancellation that came before it joined has found nothing to leave.
      if asker.isAnswered { leave(wanted, asker) }
      return try await asker.wait().get()
    } onCancel: {
      asker.answer(.failure(StorageError.cancelled))
      leave(wanted, asker)
    }
  }

  /// The course of one load as a sequence: the placeholder at once, the image when it is there.
  ///
  /// Ends with the error when the image cannot be had; the placeholder stays what it is. Leaving the loop cancels.
  public func images(
    for reference: StorageReference, placeholder: Data? = nil,
    maxImageSize: Int64 = StorageImageLoader.defaultMaxImageSize, options: StorageImageOptions = []
  ) -> AsyncThrowingStream<StorageImageEvent, any Error> {
    AsyncThrowingStream { continuation in
      if let placeholder { continuation.yield(.placeholder(placeholder)) }
      let work = Task {
        do {
          continuation.yield(.image(try await image(for: reference, maxImageSize: maxImageSize, options: options)))
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      continuation.onTermination = { _ in work.cancel() }
    }
  }

  /// Forgets everything in memory, and what is known not to be there. The disk cache stays.
  public func clearMemory() {
    state.withLock { state in
      state.memory.removeAll()
      state.failures.removeAll()
    }
  }

  private func currentGeneration(of reference: StorageReference, key: String) async throws -> Int64? {
    do {
      let generation = try await reference.getMetadata().generation
      return generation > 0 ? generation : nil
    } catch {
      if let error = error as? StorageError { note(error, for: key) }
      throw error
    }
  }

  private func note(_ error: StorageError, for key: String) {
    state.withLock { $0.failures.note(error, for: key, now: now) }
  }
}

// MARK: - Flights

extension StorageImageLoader {
  /// How many loads are under way.
  package var flightCount: Int { state.withLock { $0.flights.count } }

  /// How many wait for them.
  package var askerCount: Int { state.withLock { $0.flights.values.reduce(0) { $0 + $1.askers.count } } }

  private func join(_ key: ImageFlightKey, _ asker: ImageAsker, _ reference: StorageReference) {
    let number: UInt64? = state.withLock { state in
      guard state.flights[key] == nil else {
        state.flights[key]?.askers.append(asker)
        return nil
      }
      state.lastFlight += 1
      state.flights[key] = ImageFlight(number: state.lastFlight, askers: [asker])
      return state.lastFlight
    }
    guard let number else { return }
    let work = Task { await fly(key, number, reference) }
    let isWanted = state.withLock { state in
      guard state.flights[key]?.number == number else { return false }
      state.flights[key]?.work = work
      return true
    }
    // Its one asker has gone before it was started, or it is over already.
    if !isWanted { work.cancel() }
  }

  /// The last one to leave ends the load.
  private func leave(_ key: ImageFlightKey, _ asker: ImageAsker) {
    let abandoned: ImageFlight? = state.withLock { state in
      guard let index = state.flights[key]?.askers.firstIndex(where: { $0 === asker }) else { return nil }
      state.flights[key]?.askers.remove(at: index)
      guard state.flights[key]?.askers.isEmpty == true else { return nil }
      return state.flights.removeValue(forKey: key)
    }
    abandoned?.work?.cancel()
  }

  private func fly(_ key: ImageFlightKey, _ number: UInt64, _ reference: StorageReference) async {
    let answer: ImageAsker.Answer
    do {
      answer = .success(try await load(key, number, reference))
    } catch {
      if let error = error as? StorageError { note(error, for: reference.cacheKey) }
      answer = .failure(error)
    }
    let flight: ImageFlight? = state.withLock { state in
      guard state.flights[key]?.number == number else { return nil }
      return state.flights.removeValue(forKey: key)
    }
    for asker in flight?.askers ?? [] { asker.answer(answer) }
  }

  private func load(
    _ key: ImageFlightKey, _ number: UInt64, _ reference: StorageReference
  ) async throws -> StorageImage {
    if let cache, let hit = await onDisk({ cache.object(for: key.key) }), key.accepts(hit.generation) {
      let kept = ImageMemory.Image(data: hit.data, generation: hit.generation)
      state.withLock { $0.memory.keep(kept, for: key.key, now: now) }
      return try key.checked(kept, .disk, reference)
    }
    let task = reference.memoryTask(maxSize: key.maxSize)
    task.observe(.progress, on: .waiters) { [weak self] snapshot in
      guard let self, let progress = snapshot.progress else { return }
      for asker in askers(key, number) { asker.onProgress?(progress) }
    }
    let data = try StorageReference.data(await task.outcome()).get()
    let image = ImageMemory.Image(data: data, generation: task.generation)
    state.withLock { state in
      state.memory.keep(image, for: key.key, now: now)
      state.failures.forget(reference.cacheKey)
    }
    // An image that cannot be cached is an image nevertheless.
    if let cache { await onDisk { try? cache.store(image.data, generation: image.generation, for: key.key) } }
    return try key.checked(image, .network, reference)
  }

  private func askers(_ key: ImageFlightKey, _ number: UInt64) -> [ImageAsker] {
    state.withLock { state in
      guard let flight = state.flights[key], flight.number == number else { return [] }
      return flight.askers
    }
  }

  private func onDisk<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in disk.async { continuation.resume(returning: work()) } }
  }
}

extension ImageFlightKey {
  /// Whether what is cached is the version that is wanted.
  fileprivate func accepts(_ cached: Int64?) -> Bool { generation == nil || generation == cached }

  /// The limit is the asker's, whatever the cache holds.
  fileprivate func checked(
    _ image: ImageMemory.Image, _ source: StorageImage.Source, _ reference: StorageReference
  ) throws -> StorageImage {
    let size = Int64(image.data.count)
    guard size <= maxSize else { throw StorageError.downloadSizeExceeded(total: size, maxSize: maxSize) }
    return StorageImage(data: image.data, generation: image.generation, source: source, reference: reference)
  }
}
