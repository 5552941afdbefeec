// The remote half of a run: services, credentials, limits.

import Credentials
import FileTransfer
import MirrorPlan
import StorageCore
import TransferModel

/// What a run needs before it touches the root; a missing secret is found here.
struct RunParts: Sendable {
  let services: TransferServices
  let remote: RemoteStore
  let parallelism: Parallelism
  let openFiles = OpenFiles.raised()

  /// - Parameter scope: what Google's tokens have to allow.
  init(_ run: MirrorRun, scope: GoogleScope = .readOnly) throws(RunRefusal) {
    let (environment, manifest) = (run.environment, run.manifest)
    let unbounded = Parallelism(manifest.limits, wanted: run.options.jobs).transfers.lowerBound
    parallelism = Parallelism(manifest.limits, wanted: run.options.jobs, bound: openFiles.transfers)
    let jobs = parallelism.transfers.lowerBound
    if jobs < unbounded {
      run.options.note("the limit of open files (ulimit -n) allows \(jobs) transfers at a time, not \(unbounded)")
    }
    let emulator: Origin?
    do {
      emulator = try StorageEnvironment(lookup: environment.lookUp).emulator
    } catch {
      throw RunRefusal(
        status: .usage,
        failure: TransferFailure(.invalidRequest, .permanent, "\(error.variable): \(error.message)"))
    }
    let credentials: RunCredentials
    do throws(TransferFailure) {
      credentials = try RunCredentials(
        manifest.auth, environment: environment, manifestDirectory: run.options.manifestDirectory,
        emulator: manifest.storage.emulator ?? emulator, scope: scope)
    } catch {
      throw RunRefusal(status: .authentication, failure: error)
    }
    for note in credentials.notes { run.options.note(note) }
    let start = environment.clocks.monotonic()
    let limits = manifest.limits
    services = TransferServices(
      transport: environment.transport, clocks: environment.clocks, authorizer: credentials.authorizer,
      hosts: HostMemory(note: run.options.note),
      rates: RateLimits(
        RateLimits.Tables(
          bytes: limits.rate, bytesPerHost: limits.ratePerHost, requests: limits.requests,
          requestsPerHost: limits.requestsPerHost), start: start, secondOfDay: environment.secondOfDay),
      redact: { [registry = credentials.registry] in registry.redact($0) })
    remote = RemoteStore(
      services: services, settings: manifest.storage, emulator: emulator, retryBudget: run.options.retryBudget,
      userProject: credentials.userProject)
  }
}
