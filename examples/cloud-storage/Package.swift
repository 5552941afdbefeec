// swift-tools-version: 6.2

import PackageDescription

// A program that uses the library, as one outside of this repository would. Run it with
//
//   swift run --package-path examples/cloud-storage cloud-storage-example gs://BUCKET/OBJECT
let package = Package(
  name: "cloud-storage-example",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "mirror", path: "../..")],
  targets: [
    .executableTarget(
      name: "cloud-storage-example", dependencies: [.product(name: "CloudStorage", package: "mirror")])
  ])
