// `mirror cache`: what lies in the disk cache of an application, and making it smaller.

import CurlTransport
import MirrorEngine
import MirrorPlan
import StorageCore
import TransferModel

struct CacheCommand {
  private let options: CacheOptions
  private let talk: Talk

  init(_ options: CacheOptions) {
    self.options = options
    talk = Talk(process: options.talk)
  }

  func run() throws -> Int32 {
    guard !options.clears || (options.maximumAge == nil && options.maximumSize == nil) else {
      throw UsageError(
        message: "--clear removes everything", hint: "leave out --older-than and --keep, or --clear",
        command: "mirror cache")
    }
    let clocks = SystemClocks()
    let cache: ObjectCache
    do throws(TransferFailure) {
      cache = try ObjectCache.existing(path: options.folder, clocks: clocks)
    } catch {
      return talk.refuse(RunRefusal(status: .usage, failure: error))
    }
    let before = cache.entries()
    let removal = remove(from: cache)
    let listing = CacheListing(
      folder: options.folder, now: clocks.utc(), before: before, after: removal == nil ? nil : cache.entries())
    try Output.results.write(options.writesJSON ? listing.json : listing.text)
    guard let removal, removal.failures > 0 else { return ExitStatus.done.rawValue }
    return talk.refuse(RunRefusal(status: .localResource, failure: Self.failure(of: removal)))
  }

  /// nil = nothing was to be removed.
  private func remove(from cache: ObjectCache) -> ObjectCache.Removal? {
    if options.clears { return cache.clear() }
    if options.maximumAge == nil, options.maximumSize == nil { return nil }
    return cache.prune(age: options.maximumAge, size: options.maximumSize?.bytes)
  }

  private static func failure(of removal: ObjectCache.Removal) -> TransferFailure {
    TransferFailure(
      .ioError, .local, "could not remove \(CacheListing.objects(removal.failures))",
      hint: "check owner and mode of the folder")
  }
}
