// What the user wants, after every rule was checked: the values that the engine works on.
// Reading text is `ManifestYAML`; the rules are `ManifestValidator`.

package import TransferModel

/// A manifest in which every value has been validated, variables are put in, and defaults are merged into the items.
package struct Manifest: Sendable {
  /// The root as written (after variables); relative to the manifest's folder.
  package var root: String
  package var storage: StorageSettings
  package var auth: [AuthEntry]
  package var limits: Limits
  package var publish: PublishSettings
  package var items: ItemList
  package var trees: [Tree]
  package var report: ReportTargets
  /// Run when something changed and nothing failed; nil = nothing is run.
  package var onChange: [String]?
  /// Warnings that were found on the way; they never change an exit status.
  package var warnings: [Diagnostic]

  package init(
    root: String, storage: StorageSettings = StorageSettings(), auth: [AuthEntry] = [], limits: Limits = Limits(),
    publish: PublishSettings = PublishSettings(),
    items: ItemList = [], trees: [Tree] = [], report: ReportTargets = ReportTargets(), onChange: [String]? = nil,
    warnings: [Diagnostic] = []
  ) {
    self.root = root
    self.storage = storage
    self.auth = auth
    self.limits = limits
    self.publish = publish
    self.items = items
    self.trees = trees
    self.report = report
    self.onChange = onChange
    self.warnings = warnings
  }
}

/// `storage:`
package struct StorageSettings: Sendable, Hashable {
  package enum API: String, Sendable, CaseIterable {
    case firebase
    case gcs
  }

  /// The bucket of references that are bare paths; nil = such references are errors.
  package var bucket: String?
  /// Which API `gs://` and bare references use.
  package var api: API
  /// `storage: {emulator: host:port}`; nil = the environment decides, else the real service.
  package var emulator: Origin?

  package init(bucket: String? = nil, api: API = .firebase, emulator: Origin? = nil) {
    self.bucket = bucket
    self.api = api
    self.emulator = emulator
  }
}

/// `limits:`; 0 means no limit for the rates. What follows from the first two is `Parallelism`.
package struct Limits: Sendable, Hashable {
  /// Transfers at the same time; nil = mirror chooses.
  package var jobs: Int?
  /// Connections to one host at the same time; nil = mirror chooses.
  package var perHost: Int?
  /// Bytes a second, all transfers together.
  package var rate: RateTable
  /// Bytes a second from one host.
  package var ratePerHost: RateTable
  /// Requests a second, all hosts together.
  package var requests: RateTable
  /// Requests a second to one host.
  package var requestsPerHost: RateTable
  /// What mirror may use for buffers: it allows one transfer a MiB. A transfer holds a receive buffer of at most 512 KiB
  /// and up to 64 KiB of a small file.
  package var memory: ByteCount

  package init(
    jobs: Int? = nil, perHost: Int? = nil, rate: RateTable = 0, ratePerHost: RateTable = 0,
    requests: RateTable = 0, requestsPerHost: RateTable = 0,
    memory: ByteCount = ByteCount(256 << 20)
  ) {
    self.jobs = jobs
    self.perHost = perHost
    self.rate = rate
    self.ratePerHost = ratePerHost
    self.requests = requests
    self.requestsPerHost = requestsPerHost
    self.memory = memory
  }
}

/// `publish:`, how readers of the root come to see what a run brings.
package struct PublishSettings: Sendable, Hashable {
  package enum Mode: String, Sendable, CaseIterable {
    /// Each file by itself, as it comes.
    case inPlace = "in-place"
    /// All of it in one step at the end of a run in which nothing failed.
    case atomic
  }

  package var mode: Mode
  /// With `atomic`, how many trees that are no longer shown stay for those who still read them; 1...100.
  package var keep: Int

  package init(mode: Mode = .inPlace, keep: Int = 1) {
    self.mode = mode
    self.keep = keep
  }
}

/// `report:`; paths relative to the manifest's folder.
package struct ReportTargets: Sendable, Hashable {
  package var json: String?
  package var prometheus: String?
  package var junit: String?

  package init(json: String? = nil, prometheus: String? = nil, junit: String? = nil) {
    self.json = json
    self.prometheus = prometheus
    self.junit = junit
  }
}

/// How one object is fetched and kept: `defaults:` overlaid by what the item says.
package struct TransferSettings: Sendable, Hashable {
  package enum Verify: String, Sendable, CaseIterable {
    /// Compare by the strongest facts there are.
    case auto
    /// A comparison weaker than a hash or generation is a failure.
    case strict
    /// Length only.
    case off
  }

  package enum ContentForm: String, Sendable, CaseIterable {
    case stored
    case decoded
  }

  package enum ModifiedTime: String, Sendable, CaseIterable {
    case source
    case now
  }

  /// What becomes of a file at the destination that mirror did not leave as it is.
  package enum LocalChangePolicy: String, Sendable, CaseIterable {
    /// The object takes its place.
    case overwrite
    /// It stays, and the plan and the report say so.
    case keep
    /// It stays, and the entry fails.
    case fail
  }

  /// nil = no limit.
  package var maxSize: ByteCount?
  package var verify: Verify
  package var content: ContentForm
  /// Permission bits for new files; nil = 0666 less the umask.
  package var mode: UInt16?
  package var modified: ModifiedTime
  package var onLocalChange: LocalChangePolicy
  package var timeouts: TransferTimeouts
  /// The hard end of one item, from its first request; nil = none.
  package var itemDeadline: Duration?
  package var retry: RetryPolicy
  /// When several streams fetch one object side by side.
  package var ranges: RangePolicy

  package init(
    maxSize: ByteCount? = nil, verify: Verify = .auto, content: ContentForm = .stored, mode: UInt16? = nil,
    modified: ModifiedTime = .source, onLocalChange: LocalChangePolicy = .overwrite,
    timeouts: TransferTimeouts = TransferTimeouts(), itemDeadline: Duration? = nil, retry: RetryPolicy = RetryPolicy(),
    ranges: RangePolicy = RangePolicy()
  ) {
    self.maxSize = maxSize
    self.verify = verify
    self.content = content
    self.mode = mode
    self.modified = modified
    self.onLocalChange = onLocalChange
    self.timeouts = timeouts
    self.itemDeadline = itemDeadline
    self.retry = retry
    self.ranges = ranges
  }
}

/// Where bytes come from.
package enum Reference: Sendable, Hashable {
  /// An object (or, for a tree, a prefix) in a bucket, by the storage API.
  case storage(StorageAddress)
  /// Any other http(s) URL, and links that carry their own token or signature: fetched exactly as written.
  case web(HTTPURL)
}

/// One `trees:` entry.
package struct Tree: Sendable, Hashable {
  /// The bucket and the prefix (`object`, nil = the whole bucket).
  package var prefix: StorageAddress
  /// Below the root; nil = the root itself.
  package var destination: RelativePath?
  /// Relative to the prefix; empty = everything.
  package var include: [Glob]
  package var exclude: [Glob]
  package var prune: PruneSettings
  package var settings: TransferSettings
  package var mark: SourceMark

  package init(
    prefix: StorageAddress, destination: RelativePath?, include: [Glob] = [], exclude: [Glob] = [],
    prune: PruneSettings = PruneSettings(), settings: TransferSettings = TransferSettings(),
    mark: SourceMark = SourceMark(line: 0, column: 0)
  ) {
    self.prefix = prefix
    self.destination = destination
    self.include = include
    self.exclude = exclude
    self.prune = prune
    self.settings = settings
    self.mark = mark
  }
}

/// `prune:` of a tree.
package struct PruneSettings: Sendable, Hashable {
  package enum Cap: Sendable, Hashable {
    case count(Int)
    /// Of the tree's recorded files, 0...100.
    case percent(Double)
  }

  package var enabled: Bool
  package var cap: Cap
  /// How long pruned files stay in the trash; nil = they are not kept.
  package var trash: Duration?

  package init(enabled: Bool = false, cap: Cap = .percent(10), trash: Duration? = .seconds(7 * 86_400)) {
    self.enabled = enabled
    self.cap = cap
    self.trash = trash
  }
}
