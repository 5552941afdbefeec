// swift-tools-version: 6.2

// The parsers under libFuzzer; `sh Tests/Fuzz/run.sh` builds and runs it. A package of its own, because every target is
// compiled with coverage counters, which the ordinary build has nothing to do with. The sources are those of the house, by
// way of links.

import PackageDescription

let fuzzing: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .unsafeFlags(["-sanitize=fuzzer,address"]),
]

func storey(_ name: String, uses dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, path: "House/\(name)", swiftSettings: fuzzing)
}

func system(_ name: String, _ pkgConfig: String? = nil) -> Target {
  .systemLibrary(name: name, path: "House/\(name)", pkgConfig: pkgConfig)
}

let package = Package(
  name: "mirror-fuzz",
  platforms: [.macOS(.v15)],
  targets: [
    system("CYAML", "yaml-0.1"), system("CSQLite", "sqlite3"),
    system("CCrypto", "libcrypto"), system("CISAL", "libisal"), system("CLinux"),
    storey("TransferModel", uses: []),
    storey("MirrorPlan", uses: ["TransferModel"]),
    storey("LocalFiles", uses: ["TransferModel", "CCrypto", "CISAL", "CLinux"]),
    storey("ManifestYAML", uses: ["MirrorPlan", "TransferModel", "CYAML"]),
    storey("FileTransfer", uses: ["TransferModel", "LocalFiles"]),
    storey("ChildProcesses", uses: ["CLinux"]),
    storey("Credentials", uses: ["TransferModel", "ChildProcesses", "CCrypto"]),
    storey("StorageCore", uses: ["TransferModel", "LocalFiles", "FileTransfer"]),
    storey(
      "MirrorEngine",
      uses: [
        "TransferModel", "MirrorPlan", "LocalFiles", "ManifestYAML", "ChildProcesses", "FileTransfer", "Credentials",
        "StorageCore", "CSQLite",
      ]),
    .target(name: "TestSupport", dependencies: ["TransferModel"], path: "Support", swiftSettings: fuzzing),
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "StorageCore", "FileTransfer", "LocalFiles", "ManifestYAML", "MirrorEngine", "MirrorPlan", "TransferModel",
        "TestSupport",
      ],
      path: "Driver", swiftSettings: fuzzing,
      linkerSettings: [
        // Debian's gold gives up over the size of it.
        .unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])
      ]),
  ]
)
