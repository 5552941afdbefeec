// What the driver does with its arguments.

import Foundation
import TestSupport

/// libFuzzer's entry for programs that have a `main` of their own (llvm.org/docs/LibFuzzer.html).
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// The property at work; set before the fuzzer begins, and not after.
private nonisolated(unsafe) var property: FuzzProperty?

enum FuzzDriver {
  static func run(_ arguments: [String]) -> Int32 {
    switch arguments.first {
    case "--list"?:
      for property in FuzzProperty.all { print(property.name) }
      return 0
    case "--seeds"? where arguments.count == 3:
      return writeSeeds(of: arguments[1], into: arguments[2])
    case let name?:
      guard let found = FuzzProperty.named(name) else { return usage() }
      property = found
      // To merge, libFuzzer starts itself again by a line for the shell, which begins with this.
      return fuzz(["\(CommandLine.arguments[0]) \(name)"] + arguments.dropFirst())
    case nil: return usage()
    }
  }

  private static func usage() -> Int32 {
    print("usage: fuzz --list | fuzz --seeds TARGET FOLDER | fuzz TARGET [LIBFUZZER-ARGUMENT…]")
    return 2
  }

  private static func writeSeeds(of name: String, into folder: String) -> Int32 {
    guard let property = FuzzProperty.named(name) else { return usage() }
    do {
      for (number, seed) in try property.seeds().enumerated() {
        let file = open("\(folder)/seed-\(number)", O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        defer { close(file) }
        guard write(file, seed, seed.count) == seed.count else { return 1 }
      }
      return 0
    } catch {
      print("the seeds of \(name): \(error)")
      return 1
    }
  }

  private static func fuzz(_ arguments: [String]) -> Int32 {
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    var count = Int32(arguments.count)
    return pointers.withUnsafeMutableBufferPointer { buffer in
      guard var start = buffer.baseAddress else { return 1 }
      return runFuzzer(&count, &start) { bytes, size in
        let input = bytes.map { Array(UnsafeBufferPointer(start: $0, count: size)) } ?? []
        do {
          try property?.check(input)
        } catch {
          // The fuzzer writes the input down when the process ends like this.
          FileHandle.standardError.write(Data("mistreated: \(error)\n".utf8))
          abort()
        }
        return 0
      }
    }
  }
}
