// A folder that a test has for itself. What is in it at the end is read by `TemporaryDirectory+Tree.swift`.

import Foundation
import Glibc

/// A fresh folder, deleted with all that is in it when the value goes away.
package final class TemporaryDirectory: Sendable {
  package enum Place: Sendable {
    /// `$TMPDIR`, or `/tmp`.
    case disk
    /// `/dev/shm`, for tests that write much; the disk where that does not exist.
    case memory
  }

  /// Absolute, without symbolic links and without a slash at the end.
  package let path: String

  package init(on place: Place = .disk, named stem: String = "mirror-test") throws {
    var base = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    if place == .memory, access("/dev/shm", W_OK) == 0 { base = "/dev/shm" }
    var template = Array("\(base)/\(stem)-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError("make a folder in \(base)") }
    let made = template.withUnsafeBufferPointer { $0.baseAddress.flatMap { realpath($0, nil) } }
    guard let made else { throw SystemError("resolve a folder in \(base)") }
    defer { free(made) }
    path = String(cString: made)
  }

  deinit {
    Self.remove(path)
  }

  /// The absolute path of something below the folder.
  package func path(_ relative: String) -> String { "\(path)/\(relative)" }

  /// Writes a file, and makes the folders above it.
  package func write(_ bytes: some Sequence<UInt8>, to relative: String, mode: UInt32 = 0o644) throws {
    if let slash = relative.lastIndex(of: "/") { try makeFolder(String(relative[..<slash])) }
    let descriptor = open(path(relative), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw SystemError("create \(relative)") }
    defer { close(descriptor) }
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw SystemError("write \(relative)") }
      rest = rest.dropFirst(count)
    }
  }

  package func write(_ text: String, to relative: String, mode: UInt32 = 0o644) throws {
    try write(text.utf8, to: relative, mode: mode)
  }

  package func read(_ relative: String) throws -> [UInt8] {
    try Self.bytes(ofFile: path(relative))
  }

  package func readText(_ relative: String) throws -> String {
    String(decoding: try read(relative), as: UTF8.self)
  }

  /// Makes a folder and those above it; one that is there already is fine.
  package func makeFolder(_ relative: String) throws {
    var soFar = path
    for component in relative.split(separator: "/") {
      soFar += "/\(component)"
      guard mkdir(soFar, 0o755) == 0 || errno == EEXIST else { throw SystemError("make \(soFar)") }
    }
  }

  /// Whether anything stands at the path; links are not followed.
  package func exists(_ relative: String) -> Bool {
    var status = stat()
    return lstat(path(relative), &status) == 0
  }

  package static func bytes(ofFile path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError("open \(path)") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      guard count >= 0 else { throw SystemError("read \(path)") }
      if count == 0 { return bytes }
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// Deletes without following links; what cannot be deleted stays.
  private static func remove(_ path: String) {
    guard unlink(path) != 0 else { return }
    chmod(path, 0o700)
    for name in names(in: path) { remove("\(path)/\(name)") }
    rmdir(path)
  }

  /// The names in a folder, unsorted; none when it cannot be read.
  static func names(in path: String) -> [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
