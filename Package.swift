// swift-tools-version: 6.2

import PackageDescription

/// Every target is compiled the same way: Swift 6 language mode (the tools version's default), imports that do not
/// leak, `any` spelled out, and no warning tolerated.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .treatAllWarnings(as: .error),
]

/// A storey of the house, bottom first; `Tests/LayeringTests` holds the sources against this order.
func storey(_ name: String, uses dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// The `main` of a product; everything it does lives in the library that it names.
func program(_ name: String, uses dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, uses dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name, dependencies: dependencies + ["TestSupport"], swiftSettings: strict)
}

/// A module map over a library of the system.
func system(_ name: String, _ pkgConfig: String, apt: String, brew: String) -> Target {
  .systemLibrary(
    name: name, path: "Sources/\(name)", pkgConfig: pkgConfig,
    providers: [.apt([apt]), .brew([brew])])
}

let package = Package(
  name: "mirror",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "mirror", targets: ["mirror"]),
    .executable(name: "storage-emulator", targets: ["storage-emulator"]),
    .library(name: "CloudStorage", targets: ["CloudStorage"]),
    .library(name: "MirrorKit", targets: ["MirrorPlan", "MirrorEngine"]),
  ],
  targets: [
    // Storey 0: C, and nothing but C.
    system("CCurl", "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
    system("CYAML", "yaml-0.1", apt: "libyaml-dev", brew: "libyaml"),
    system("CSQLite", "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),
    system("CCrypto", "libcrypto", apt: "libssl-dev", brew: "openssl"),
    system("CISAL", "libisal", apt: "libisal-dev", brew: "isa-l"),
    system("CMicroHTTPD", "libmicrohttpd", apt: "libmicrohttpd-dev", brew: "libmicrohttpd"),
    .systemLibrary(name: "CLinux", path: "Sources/CLinux"),

    // Storey 1: pure values and decisions.
    storey("TransferModel", uses: []),
    storey("MirrorPlan", uses: ["TransferModel"]),

    // Storey 2: one kind of effect each.
    storey("CurlTransport", uses: ["TransferModel", "CCurl"]),
    storey("LocalFiles", uses: ["TransferModel", "CCrypto", "CISAL", "CLinux"]),
    storey("ManifestYAML", uses: ["MirrorPlan", "TransferModel", "CYAML"]),
    storey("ChildProcesses", uses: ["CLinux"]),

    // Storeys 3 to 5: one object, credentials, the two services without Foundation, the library.
    storey("FileTransfer", uses: ["TransferModel", "LocalFiles"]),
    storey("Credentials", uses: ["TransferModel", "ChildProcesses", "CCrypto"]),
    storey("StorageCore", uses: ["TransferModel", "LocalFiles", "FileTransfer"]),
    storey(
      "CloudStorage",
      uses: ["TransferModel", "CurlTransport", "LocalFiles", "FileTransfer", "Credentials", "StorageCore"]),

    // Storey 6: the engine.
    storey(
      "MirrorEngine",
      uses: [
        "TransferModel", "MirrorPlan", "LocalFiles", "ManifestYAML", "ChildProcesses", "FileTransfer",
        "Credentials", "StorageCore", "CSQLite",
      ]),

    // Storey 7: the command line.
    storey(
      "MirrorCLI",
      uses: [
        "TransferModel", "MirrorPlan", "CurlTransport", "LocalFiles", "ManifestYAML",
        "FileTransfer", "Credentials", "StorageCore", "MirrorEngine", "CLinux",
      ]),
    program("mirror", uses: ["MirrorCLI"]),

    // Beside the house: a server to try it on.
    storey("StorageEmulator", uses: ["TransferModel", "LocalFiles", "CMicroHTTPD", "CLinux"]),
    program("storage-emulator", uses: ["StorageEmulator"]),

    // Tests.
    .target(
      name: "TestSupport", dependencies: ["TransferModel"], path: "Tests/TestSupport",
      swiftSettings: strict),
    tests("LayeringTests", uses: []),
    tests("TransferModelTests", uses: ["TransferModel"]),
    tests("MirrorPlanTests", uses: ["MirrorPlan", "TransferModel"]),
    tests("CurlTransportTests", uses: ["CurlTransport", "StorageEmulator", "TransferModel"]),
    tests("LocalFilesTests", uses: ["LocalFiles", "TransferModel"]),
    tests("ManifestYAMLTests", uses: ["ManifestYAML", "MirrorPlan", "TransferModel"]),
    tests("FileTransferTests", uses: ["FileTransfer", "LocalFiles", "TransferModel"]),
    tests("StorageCoreTests", uses: ["StorageCore", "TransferModel"]),
    tests("CloudStorageTests", uses: ["CloudStorage", "StorageCore", "StorageEmulator", "TransferModel"]),
    tests(
      "MirrorEngineTests",
      uses: [
        "MirrorEngine", "MirrorPlan", "LocalFiles", "TransferModel", "CurlTransport",
        "StorageEmulator", "FileTransfer", "StorageCore", "Credentials", "ChildProcesses",
      ]),
    tests(
      "HistoryTests",
      uses: [
        "MirrorEngine", "MirrorPlan", "LocalFiles", "TransferModel", "StorageEmulator", "CurlTransport", "Credentials",
      ]),
    tests("MirrorCLITests", uses: ["MirrorCLI", "MirrorPlan", "MirrorEngine", "StorageCore", "TransferModel"]),
    tests("StorageEmulatorTests", uses: ["StorageEmulator", "TransferModel"]),
    tests("EndToEndTests", uses: ["StorageEmulator", "TransferModel"]),
    tests("HostileTests", uses: ["StorageEmulator", "TransferModel"]),
    tests(
      "FuzzTests",
      uses: [
        "StorageCore", "FileTransfer", "LocalFiles", "ManifestYAML", "MirrorEngine", "MirrorPlan", "TransferModel",
      ]),
  ]
)
