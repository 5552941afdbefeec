// Shows what there is to know about one object: the snippets of the other files, one after the other.

import CloudStorage

@main
enum Program {
  static func main() async {
    let arguments = CommandLine.arguments
    guard arguments.count == 2 else {
      print("usage: cloud-storage-example gs://BUCKET/OBJECT")
      return
    }
    do {
      let reference = try referenceAnywhere(arguments[1])
      print(describe(reference))
      print(try await describeMetadata(of: reference))
      print(try await namesBeside(reference).joined(separator: "\n"))
      print(try await reference.downloadURL())
      print("\(try await islandBytes(reference).count) bytes")
    } catch {
      print(advice(on: error))
    }
  }
}
