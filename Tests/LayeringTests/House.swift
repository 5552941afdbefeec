// The house: which target may import what, storey by storey. The table is the rule. The sources are held against it because
// the compiler lets a file import any module that some target built.

/// What a target may import.
struct Room {
  /// Other targets of the package.
  let mayImport: Set<String>
}

enum House {
  /// System modules that every target may import. Product code does without `Foundation`: it costs 5 ms at each start and
  /// a 39 MB library.
  static let systemModules: Set<String> = ["Glibc", "FoundationEssentials"]

  /// `CloudStorage` shows `URL`, `Data`, `Date` and `DispatchQueue` in its API, as the SDK that it stands in for does. No
  /// program is linked with it.
  static let mayImportFoundation: Set<String> = ["CloudStorage"]
  static let foundationModules: Set<String> = ["Foundation", "Dispatch"]

  /// The only target where `@unchecked Sendable` may stand: curl's handles are owned by one thread, which no compiler sees.
  static let mayBeUnchecked: Set<String> = ["CurlTransport"]

  static let longestFile = 500

  private static let storey1: Set<String> = ["TransferModel", "MirrorPlan"]
  private static let storey2: Set<String> = ["CurlTransport", "LocalFiles", "ManifestYAML", "ChildProcesses"]
  private static let storeys3To5: Set<String> = ["FileTransfer", "Credentials", "StorageCore"]

  /// Bottom first: a room may import only what stands before it.
  static let rooms: KeyValuePairs<String, Room> = [
    "TransferModel": Room(mayImport: []),
    "MirrorPlan": Room(mayImport: ["TransferModel"]),

    "CurlTransport": Room(mayImport: ["TransferModel", "CCurl"]),
    "LocalFiles": Room(mayImport: ["TransferModel", "CCrypto", "CISAL", "CLinux"]),
    "ManifestYAML": Room(mayImport: ["MirrorPlan", "TransferModel", "CYAML"]),

    "ChildProcesses": Room(mayImport: ["CLinux"]),

    "FileTransfer": Room(mayImport: ["TransferModel", "LocalFiles"]),
    "Credentials": Room(mayImport: ["TransferModel", "ChildProcesses", "CCrypto"]),
    // Of the pure storey only the transfer values: neither knows a manifest.
    "StorageCore": Room(mayImport: ["TransferModel", "LocalFiles", "FileTransfer"]),
    "CloudStorage": Room(
      mayImport: ["TransferModel", "CurlTransport", "LocalFiles", "FileTransfer", "Credentials", "StorageCore"]),

    // No concrete transport: naming one is for the composition root and for CloudStorage's default initialiser.
    "MirrorEngine": Room(
      mayImport: storey1.union(storey2).union(storeys3To5).union(["CSQLite"]).subtracting(["CurlTransport"])),

    "MirrorCLI": Room(
      mayImport: storey1.union(storey2).union(storeys3To5).union(["MirrorEngine", "CLinux"])),
    "mirror": Room(mayImport: ["MirrorCLI"]),

    "StorageEmulator": Room(mayImport: ["TransferModel", "LocalFiles", "CMicroHTTPD", "CLinux"]),
    "storage-emulator": Room(mayImport: ["StorageEmulator"]),
  ]

  static func room(of target: String) -> Room? {
    rooms.first { $0.key == target }?.value
  }

  /// The target with everything that its imports may bring into a program.
  static func linked(into target: String) -> Set<String> {
    let imported = room(of: target)?.mayImport ?? []
    return imported.reduce([target]) { $0.union(linked(into: $1)) }
  }

  /// Folders below `Sources` that hold a module map and no Swift.
  static let systemLibraries: Set<String> = ["CCurl", "CYAML", "CSQLite", "CCrypto", "CISAL", "CMicroHTTPD", "CLinux"]
}
