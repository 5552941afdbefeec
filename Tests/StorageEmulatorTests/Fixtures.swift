// Servers and folders that several tests start from.

import Glibc
import StorageEmulator

/// A folder of its own for one test, removed with it.
final class ScratchFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/storage-emulator-tests.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw CannotMake(errno: errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  struct CannotMake: Error {
    var errno: Int32
  }

  deinit { Self.remove(path) }

  func write(_ name: String, _ text: String) {
    var folder = path
    for part in name.split(separator: "/").dropLast() {
      folder += "/" + part
      mkdir(folder, 0o755)
    }
    guard let file = fopen(path + "/" + name, "w") else { return }
    fputs(text, file)
    fclose(file)
  }

  private static func remove(_ path: String) {
    if let stream = opendir(path) {
      while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { remove(path + "/" + name) }
      }
      closedir(stream)
      rmdir(path)
    } else {
      unlink(path)
    }
  }
}

extension StorageEmulator {
  /// A server with these objects in the bucket `b`, each holding the text `something`.
  static func holding(_ names: String...) throws -> StorageEmulator {
    let server = try StorageEmulator()
    server.objects.makeBucket("b")
    for name in names { server.objects.put("b", name, text: "something") }
    return server
  }

  /// One request over a connection of its own.
  func ask(_ target: String, _ fields: String..., method: String = "GET", body: String = "") throws -> RawResponse {
    try RawClient(port: port).exchange(method, target, fields, body: body)
  }
}

/// All values of a member in a JSON text, without a JSON reader: enough for texts whose shape is known.
func values(of member: String, in json: String) -> [String] {
  json.split(separator: "\"\(member)\":\"", omittingEmptySubsequences: false).dropFirst().map { rest in
    String(rest.prefix { $0 != "\"" })
  }
}

/// The texts of a JSON array of texts that is the value of a member; empty when it is missing.
func texts(of member: String, in json: String) -> [String] {
  let parts = json.split(separator: "\"\(member)\":[", maxSplits: 1)
  guard parts.count == 2 else { return [] }
  return parts[1].prefix { $0 != "]" }.split(separator: ",").map { String($0.dropFirst().dropLast()) }
}
