// What is good, doubtful and bad about a root, a clock, a name and a proxy.

import Glibc
import LocalFiles
import TransferModel

extension Doctor {
  // MARK: - The root

  /// Free space and inodes, and the longest name that can be made; a root that is not there yet is no fault.
  static func root(at path: String) -> [DoctorFinding] {
    let root: RootDirectory
    do throws(TransferFailure) {
      root = try RootDirectory(opening: path)
    } catch {
      guard error.errno == ENOENT else { return [DoctorFinding(.root, .bad, error.message, hint: error.hint)] }
      return [DoctorFinding(.root, .good, "\(path) is not there yet; the first run makes it")]
    }
    var findings: [DoctorFinding] = []
    if access(path, W_OK | X_OK) != 0 {
      findings.append(
        DoctorFinding(
          .root, .bad, "\(path) cannot be written: \(String(cString: strerror(errno)))",
          hint: "Give this user the right to write there, or choose another root."))
    }
    do throws(TransferFailure) {
      findings.append(space(try FileSystemFacts(root).space(), at: path))
    } catch {
      findings.append(DoctorFinding(.root, .bad, error.message, hint: error.hint))
    }
    let longest = pathconf(path, Int32(_PC_NAME_MAX))
    if longest > 0, longest < 255 {
      findings.append(
        DoctorFinding(.root, .doubtful, "names in \(path) may have \(longest) bytes; elsewhere it is 255"))
    }
    return findings
  }

  /// Less than 1 MiB or 10 inodes is bad, less than 1 GiB or 10,000 inodes is doubtful.
  static func space(_ space: FileSystemFacts.Space, at path: String) -> DoctorFinding {
    let inodes = space.freeInodes ?? .max
    let verdict: DoctorFinding.Verdict =
      space.free < 1 << 20 || inodes < 10 ? .bad : space.free < 1 << 30 || inodes < 10_000 ? .doubtful : .good
    let files = space.freeInodes.map { " and \($0) more files" } ?? ""
    return DoctorFinding(
      .root, verdict, "\(path) has room for \(ByteCount(space.free))\(files)",
      hint: verdict == .good ? nil : "Make room, or choose another root.")
  }

  // MARK: - Clocks

  /// More than a minute is doubtful; more than five, and tokens and signatures are refused (P33).
  static func clock(_ here: Timestamp, against there: Timestamp, of origin: Origin) -> DoctorFinding {
    let seconds = Int64((here - there).inSeconds.rounded())
    let distance = abs(seconds)
    guard distance > 60 else {
      return DoctorFinding(.clock, .good, "this machine's clock agrees with that of \(origin)")
    }
    let side = seconds > 0 ? "ahead of" : "behind"
    return DoctorFinding(
      .clock, distance > 300 ? .bad : .doubtful,
      "this machine's clock is \(distance) s \(side) that of \(origin)",
      hint: "Set the clock, or let it be set (NTP): tokens are refused when it is wrong.")
  }

  // MARK: - Names

  /// How many addresses the name has, of both kinds. Blocks.
  static func name(of origin: Origin) -> DoctorFinding {
    let host = origin.host.hasPrefix("[") ? String(origin.host.dropFirst().dropLast()) : origin.host
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &first)
    defer { if let first { freeaddrinfo(first) } }
    guard code == 0 else {
      return DoctorFinding(
        .name, .bad, "the name \(host) is not known: \(String(cString: gai_strerror(code)))",
        hint: "Check the name, and this machine's name servers. Behind a proxy it need not be known here.")
    }
    var (old, new) = (0, 0)
    var entry = first
    while let address = entry?.pointee {
      if address.ai_family == AF_INET { old += 1 }
      if address.ai_family == AF_INET6 { new += 1 }
      entry = address.ai_next
    }
    return DoctorFinding(.name, .good, "\(host) has \(old) IPv4 and \(new) IPv6 addresses")
  }

  // MARK: - Proxies

  /// The variables that libcurl reads, without user and password. `HTTP_PROXY` in capitals is not among them.
  static func proxies(_ lookUp: (String) -> String?) -> [DoctorFinding] {
    var findings: [DoctorFinding] = []
    for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
      guard let value = lookUp(name), !value.isEmpty else { continue }
      let shown = (try? HTTPURL(parsing: value.contains("://") ? value : "http://" + value)).map { "\($0.origin)" }
      findings.append(
        DoctorFinding(.proxy, shown == nil ? .doubtful : .good, "\(name) names the proxy \(shown ?? "of another kind")")
      )
    }
    if lookUp("HTTP_PROXY") != nil, lookUp("http_proxy") == nil {
      findings.append(
        DoctorFinding(
          .proxy, .doubtful, "HTTP_PROXY is not used", hint: "For http hosts, write it in small letters: http_proxy."))
    }
    if !findings.isEmpty, let hosts = lookUp("no_proxy") ?? lookUp("NO_PROXY"), !hosts.isEmpty {
      findings.append(DoctorFinding(.proxy, .good, "no proxy is used for \(hosts)"))
    }
    return findings
  }
}
