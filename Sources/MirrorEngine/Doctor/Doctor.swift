// Looks at everything that a run of a manifest stands on, without running it: what `mirror doctor` says.
// Decisions about what was found are in `Doctor+Judgement.swift`.

import ChildProcesses
import LocalFiles
package import MirrorPlan
import StorageCore
import TransferModel

/// Examines the surroundings of one manifest. Downloads nothing, and writes nothing.
package struct Doctor: Sendable {
  /// No more hosts than that are asked: a manifest may name thousands.
  package static let maximumHosts = 16

  let manifest: Manifest
  let options: RunOptions
  let environment: RunEnvironment

  package init(_ manifest: Manifest, options: RunOptions, environment: RunEnvironment) {
    self.manifest = manifest
    self.options = options
    self.environment = environment
  }

  /// Root, the program of `on_change`, proxies, then each host with its name, connection and clock, then each credential.
  package func examine() async -> [DoctorFinding] {
    let threads = BlockingThreads(count: 1)
    var findings = await threads.run { [rootPath] in Self.root(at: rootPath) }
    if let words = manifest.onChange { findings.append(program(words)) }
    findings += Self.proxies(environment.lookUp)
    let emulator: Origin?
    do throws(StorageEnvironment.Violation) {
      let ambient = try StorageEnvironment(lookup: environment.lookUp).emulator
      emulator = manifest.storage.emulator ?? ambient
    } catch {
      return findings + [DoctorFinding(.connection, .bad, "\(error.variable): \(error.message)")]
    }
    let origins = manifest.origins(emulator: emulator)
    for origin in origins.prefix(Self.maximumHosts) {
      findings.append(await threads.run { Self.name(of: origin) })
      findings += await connection(to: origin)
    }
    if origins.count > Self.maximumHosts {
      let more = origins.count - Self.maximumHosts
      findings.append(DoctorFinding(.connection, .doubtful, "\(more) more hosts of the manifest were not asked"))
    }
    for entry in manifest.auth { findings += await credential(entry, emulator: emulator) }
    return findings
  }

  private var rootPath: String { MirrorRun(manifest, options: options, environment: environment).rootPath }

  /// Looks for what `on_change` names, and does not run it.
  private func program(_ words: [String]) -> DoctorFinding {
    let name = words.first ?? ""
    let file = ProgramLookup.file(
      of: name, startingIn: options.manifestDirectory, path: environment.lookUp("PATH"))
    guard let file else {
      return DoctorFinding(
        .program, .bad, "`on_change`: there is no program \(name)",
        hint: "Install it, or name it by its path; a name with a slash starts from the manifest's folder.")
    }
    return DoctorFinding(.program, .good, "`on_change` runs \(file)")
  }

  // MARK: - Hosts

  /// Asks for the top of the host; any answer proves the way there.
  private func connection(to origin: Origin) async -> [DoctorFinding] {
    let request = HTTPRequest(
      .get, HTTPURL(origin: origin, path: "/"),
      timeouts: TransferTimeouts(connect: .seconds(5), idle: .seconds(5)))
    let answer = await environment.transport.collect(request, limit: ByteCount(64 << 10))
    guard let head = answer.head else {
      guard case .failed(let fault) = answer.end.result else {
        return [DoctorFinding(.connection, .bad, "\(origin) gave no answer")]
      }
      let failure = TransferFailure(fault, place: "\(origin)")
      return [DoctorFinding(.connection, .bad, failure.message, hint: failure.hint)]
    }
    let reached = DoctorFinding(
      .connection, head.status == 407 ? .bad : .good, "\(origin) answers (status \(head.status))",
      hint: head.status == 407 ? "The proxy wants other credentials." : nil)
    let date = head.fields["Date"].flatMap { Timestamp(httpDate: $0, now: nil) }
    return [reached] + (date.map { [Self.clock(environment.clocks.utc(), against: $0, of: origin)] } ?? [])
  }

  // MARK: - Credentials

  /// Obtains what the entry names, and throws it away.
  private func credential(_ entry: AuthEntry, emulator: Origin?) async -> [DoctorFinding] {
    let name = entry.name
    let credentials: RunCredentials
    do throws(TransferFailure) {
      credentials = try RunCredentials(
        [entry], environment: environment, manifestDirectory: options.manifestDirectory, emulator: emulator)
    } catch {
      return [DoctorFinding(.credential, .bad, "\(name): \(error.message)", hint: error.hint)]
    }
    guard credentials.notes.isEmpty else {
      return credentials.notes.map { DoctorFinding(.credential, .doubtful, $0) }
    }
    let url = HTTPURL(origin: entry.audience(emulator: emulator), path: "/")
    switch credentials.authorizer.authorization(for: url) {
    case .none: return [DoctorFinding(.credential, .good, "\(name): nothing is sent")]
    case .ready: return [DoctorFinding(.credential, .good, "\(name) is there for \(url.origin)")]
    case .mustRenew: break
    }
    let failure = await withCheckedContinuation { continuation in
      credentials.authorizer.renew(for: url, refused: nil) { continuation.resume(returning: $0) }
    }
    if let failure { return [DoctorFinding(.credential, .bad, "\(name): \(failure.message)", hint: failure.hint)] }
    return [DoctorFinding(.credential, .good, "\(name): a token was obtained for \(url.origin)")]
  }
}

extension Manifest {
  /// Every origin that a run asks, storage first, then in the order of the manifest.
  func origins(emulator: Origin?) -> [Origin] {
    var origins: [Origin] = []
    var seen: Set<Origin> = []
    func add(_ origin: Origin) { if seen.insert(origin).inserted { origins.append(origin) } }
    let storage = emulator ?? (self.storage.api == .gcs ? StorageAPI.google : .firebase).defaultOrigin
    for tree in trees { add(tree.prefix.endpoint ?? storage) }
    for item in items {
      for reference in item.references {
        switch reference {
        case .web(let url): add(url.origin)
        case .storage(let address): add(address.endpoint ?? storage)
        }
      }
      if let checksums = item.checksumURL { add(checksums.origin) }
    }
    return origins
  }
}

extension AuthEntry {
  fileprivate var name: String {
    switch self {
    case .google: "the credential for Google"
    case .firebase: "the credential for Firebase"
    case .host(let host): "the credential for \(host.origin)"
    }
  }

  fileprivate func audience(emulator: Origin?) -> Origin {
    switch self {
    case .google: emulator ?? StorageAPI.google.defaultOrigin
    case .firebase: emulator ?? StorageAPI.firebase.defaultOrigin
    case .host(let host): host.origin
    }
  }
}
