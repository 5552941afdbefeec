// The remote half of a run: services, credentials, limits.

import CloudStorage
import Credentials
import FileTransfer
import MirrorPlan
import TransferModel

/// What a run needs before it touches the root; a missing secret is found here.
struct RunParts: Sendable {
  let services: TransferServices
  let remote: RemoteStore
  let jobs: Int

  init(_ run: MirrorRun) throws(RunRefusal) {
    let (environment, manifest) = (run.environment, run.manifest)
    jobs = manifest.limits.transfers(wanted: run.options.jobs)
    var redactor = Redactor()
    let authorizer: OriginHeaderAuthorizer
    do throws(TransferFailure) {
      let headers = manifest.auth.map { OriginHeader($0, manifestDirectory: run.options.manifestDirectory) }
      authorizer = try OriginHeaderAuthorizer(headers, reader: environment.secrets) { redactor.add($0) }
    } catch {
      throw RunRefusal(status: .authentication, failure: error)
    }
    let start = environment.clocks.monotonic()
    let limits = manifest.limits
    services = TransferServices(
      transport: environment.transport, clocks: environment.clocks, authorizer: authorizer,
      byteRate: limits.rate.bytes > 0 ? RateLimiter(rate: limits.rate.bytes, start: start) : nil,
      requestRate: limits.requests > 0 ? RateLimiter(rate: Int64(limits.requests), start: start) : nil,
      redact: { [redactor] in redactor.redact($0) })
    let emulator: Origin?
    do {
      emulator = try StorageEnvironment(lookup: environment.lookUp).emulator
    } catch {
      throw RunRefusal(
        status: .usage,
        failure: TransferFailure(.invalidRequest, .permanent, "\(error.variable): \(error.message)"))
    }
    var retry = RetryPolicy()
    if let budget = run.options.retryBudget { retry.budget = budget }
    remote = RemoteStore(services: services, settings: manifest.storage, emulator: emulator, retry: retry)
  }
}

extension OriginHeader {
  init(_ secret: HostSecret, manifestDirectory: String) {
    let source: SecretSource =
      switch secret.value.source {
      case .environment(let name): .environment(name)
      case .file(let path):
        .file(path.hasPrefix("/") || manifestDirectory.isEmpty ? path : manifestDirectory + "/" + path)
      case .command(let words): .command(words)
      }
    self.init(origin: secret.origin, name: secret.header, prefix: secret.value.prefix, source: source)
  }
}
