// `defaults:`, what items and trees say over it, and `limits:`.

import TransferModel

extension ManifestValidator {
  /// What the draft says, laid over `base`.
  mutating func settings(
    _ draft: SettingsDraft, over base: Shared<TransferSettings>
  ) -> Shared<TransferSettings> {
    // Hardly an item has its own.
    if draft.isEmpty { return base }
    var result = base.value
    if let limit = optional(draft.fields[.maxSize], { $0.size($1) }) { result.maxSize = limit }
    if let verify = choice(draft.fields[.verify], "verify", as: TransferSettings.Verify.self) {
      result.verify = verify
    }
    if let content = choice(draft.fields[.content], "content", as: TransferSettings.ContentForm.self) {
      result.content = content
    }
    if let mode = mode(draft.fields[.mode]) { result.mode = mode }
    if let modified = choice(draft.fields[.mtime], "mtime", as: TransferSettings.ModifiedTime.self) {
      result.modified = modified
    }
    if let policy = choice(
      draft.fields[.onLocalChange], "on_local_change", as: TransferSettings.LocalChangePolicy.self)
    {
      result.onLocalChange = policy
    }
    applyTimeouts(draft.timeout, to: &result)
    applyRetry(draft, to: &result.retry)
    applyRanges(draft.ranges, to: &result.ranges)
    return Shared(result)
  }

  private mutating func applyTimeouts(_ fields: Fields<TimeoutKey>, to settings: inout TransferSettings) {
    if let connect = duration(fields[.connect]) { settings.timeouts.connect = connect }
    if let idle = duration(fields[.idle]) { settings.timeouts.idle = idle }
    if let rate = rate(fields[.minRate]) { settings.timeouts.minimumRate = rate.bytes }
    if let deadline = optional(fields[.item], { $0.duration($1) }) { settings.itemDeadline = deadline }
  }

  private mutating func applyRetry(_ draft: SettingsDraft, to policy: inout RetryPolicy) {
    if let budget = duration(draft.retry[.for], mayBeZero: true) { policy.budget = budget }
    if let initial = duration(draft.retry[.initial]) { policy.initial = initial }
    if let maximum = duration(draft.retry[.max]) { policy.maximum = maximum }
    if policy.initial > policy.maximum, let written = draft.retry[.max] ?? draft.retry[.initial] {
      diagnostics.error(
        written.span, "the first wait of `retry` would be longer than the longest",
        hint: "`initial` must not be more than `max`")
    }
    guard let statuses = draft.statuses else { return }
    policy.statuses = []
    for status in statuses.elements {
      if let number = number(status, "statuses", in: StatusSet.members) { policy.statuses.insert(Int(number)) }
    }
  }

  private mutating func applyRanges(_ fields: Fields<RangesKey>, to policy: inout RangePolicy) {
    if let cutoff = size(fields[.cutoff]) { policy.cutoff = cutoff.bytes }
    if let streams = number(fields[.streams], "streams", in: 1...16) { policy.streams = Int(streams) }
  }

  /// Permission bits in octal, in three or four digits, with or without `0o`.
  private mutating func mode(_ field: LocatedText?) -> UInt16? {
    guard let text = expand(field) else { return nil }
    let digits = text.value.hasPrefix("0o") ? text.value.dropFirst(2) : text.value[...]
    guard (3...4).contains(digits.utf8.count), digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x37 }),
      let bits = UInt16(digits, radix: 8)
    else {
      diagnostics.error(text.span, "\(text.quoted) is no file mode", hint: "write it in octal digits: \"0644\"")
      return nil
    }
    guard bits <= 0o777 else {
      diagnostics.error(
        text.span, "the mode has set-id or sticky bits", hint: "only permissions are set, as in \"0755\"")
      return nil
    }
    return bits
  }

  /// No document may be written over by another.
  mutating func report(_ fields: Fields<ReportKey>) -> ReportTargets {
    var paths: [ReportKey: String] = [:]
    for key in ReportKey.allCases {
      guard let path = path(fields[key], key.spelling) else { continue }
      if let other = paths.first(where: { $0.value.hasSameBytes(as: path) })?.key, let field = fields[key] {
        diagnostics.error(
          field.span, "`\(key.spelling)` is the file of `\(other.spelling)` as well",
          hint: "give each document a file of its own")
      }
      paths[key] = path
    }
    return ReportTargets(json: paths[.json], prometheus: paths[.prometheus], junit: paths[.junit])
  }

  mutating func publish(_ fields: Fields<PublishKey>) -> PublishSettings {
    var publish = PublishSettings()
    if let mode = choice(fields[.mode], "publish", as: PublishSettings.Mode.self) { publish.mode = mode }
    if let keep = number(fields[.keep], "keep", in: 1...100) {
      publish.keep = Int(keep)
      if publish.mode != .atomic, let field = fields[.keep] {
        diagnostics.error(field.span, "`keep` means something with `mode: atomic` only", hint: "add `mode: atomic`")
      }
    }
    return publish
  }

  mutating func limits(_ fields: Fields<LimitKey>, _ tables: [LimitKey: ListDraft<RateRowDraft>] = [:]) -> Limits {
    var limits = Limits()
    if let jobs = number(fields[.jobs], "jobs", in: 1...4096) { limits.jobs = Int(jobs) }
    if let perHost = number(fields[.perHost], "per_host", in: 1...4096) { limits.perHost = Int(perHost) }
    limits.rate = table(fields, tables, .rate)
    limits.ratePerHost = table(fields, tables, .ratePerHost)
    limits.requests = table(fields, tables, .requests)
    limits.requestsPerHost = table(fields, tables, .requestsPerHost)
    if let memory = size(fields[.memory]) {
      if memory < ByteCount(1 << 20), let field = fields[.memory] {
        diagnostics.error(field.span, "`memory` must be at least 1MiB")
      }
      limits.memory = memory
    }
    return limits
  }
}
