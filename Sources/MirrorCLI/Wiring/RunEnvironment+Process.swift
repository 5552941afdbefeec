// Puts the real things together: libcurl, this machine's clocks, its environment.

import Credentials
import CurlTransport
import Glibc
import MirrorEngine
import MirrorPlan
import TransferModel

extension RunEnvironment {
  /// - Parameters:
  ///   - parallelism: what the loops share.
  ///   - loops: threads that carry transfers; nil = as many as there are cores, and as `parallelism` allows.
  ///   - hosts: hosts that are reached in a way of their own.
  static func process(
    _ parallelism: Parallelism, loops chosen: Int? = nil, hosts: [Origin: CurlTransport.HostConnection] = [:]
  ) throws(RunRefusal) -> RunEnvironment {
    let (transfers, perHost) = (parallelism.transfers, parallelism.perHost)
    let loops =
      chosen
      ?? max(1, min(transfers.lowerBound, perHost.lowerBound, CurlTransport.Configuration.defaultLoopCount))
    let transport: CurlTransport
    do {
      transport = try CurlTransport(
        CurlTransport.Configuration(
          userAgent: "mirror/\(MirrorProgram.version)", loopCount: loops,
          slotsPerLoop: max(1, (transfers.upperBound + loops - 1) / loops),
          // Rounded down: a limit may be missed by one connection, and is never exceeded.
          connectionsPerHost: max(1, perHost.lowerBound / loops),
          mostConnectionsPerHost: parallelism.isChosen ? max(1, perHost.upperBound / loops) : nil,
          caBundlePath: trustedCertificates, hosts: hosts))
    } catch {
      throw RunRefusal(
        status: .internalError, failure: TransferFailure(.internalError, .local, error.description))
    }
    var environment = RunEnvironment(
      transport: transport, clocks: SystemClocks(), lookUp: ProcessEnvironment.value,
      secrets: SecretReader(environment: ProcessEnvironment.value), host: ProcessEnvironment.hostName,
      pause: { duration in
        usleep(UInt32(clamping: duration.inMilliseconds * 1_000))
        return true
      })
    environment.secondOfDay = { Self.secondOfDay() }
    return environment
  }

  /// By the time zone of the process (`TZ`, else the machine's).
  private static func secondOfDay() -> Int {
    var now = time(nil)
    var local = tm()
    guard localtime_r(&now, &local) != nil else { return now % RateTable.day }
    return Int(local.tm_hour) * 3_600 + Int(local.tm_min) * 60 + min(59, Int(local.tm_sec))
  }

  /// The file that OpenSSL's own variable names, which libcurl does not read by itself; nil = the system's.
  private static var trustedCertificates: String? {
    ProcessEnvironment.value("SSL_CERT_FILE").flatMap { $0.isEmpty ? nil : $0 }
  }
}
