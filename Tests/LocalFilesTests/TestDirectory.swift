// A fresh directory for one test, and the few looks at the disk that the tests share.

import Foundation
import Glibc
import LocalFiles
import Testing
import TransferModel

/// A directory of its own below the system's temporary one; removed with the last reference.
final class TestDirectory {
  let path: String

  init(below parent: String = NSTemporaryDirectory()) throws {
    var template = Array("\(parent)/local-files-XXXXXX".utf8CString)
    let made = mkdtemp(&template)
    path = try #require(made.map { String(cString: $0) })
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func path(_ name: String) -> String { "\(path)/\(name)" }

  func root(_ resolution: RootDirectory.Resolution? = nil) throws -> RootDirectory {
    try RootDirectory(opening: path, resolution: resolution)
  }

  func cache(_ resolution: RootDirectory.Resolution? = nil) throws -> DirectoryCache {
    DirectoryCache(try root(resolution))
  }

  func write(_ name: String, _ content: String, mode: mode_t = 0o644) throws {
    let file = path(name)
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    try #require(descriptor >= 0)
    let bytes = Array(content.utf8)
    #expect(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
    #expect(fchmod(descriptor, mode) == 0)
    #expect(close(descriptor) == 0)
  }

  func makeDirectory(_ name: String, mode: mode_t = 0o755) throws {
    try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
    #expect(chmod(path(name), mode) == 0)
  }

  func link(_ name: String, to target: String) throws { try #require(symlink(target, path(name)) == 0) }

  /// The file's text; nil when there is none.
  func read(_ name: String) -> String? {
    FileManager.default.contents(atPath: path(name)).map { String(decoding: $0, as: UTF8.self) }
  }

  func status(_ name: String) -> stat? {
    var record = stat()
    return lstat(path(name), &record) == 0 ? record : nil
  }

  func mode(_ name: String) -> UInt16? { status(name).map { UInt16($0.st_mode & 0o7777) } }

  /// All names in a directory, sorted.
  func names(_ name: String = ".") -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path(name))) ?? []).sorted()
  }
}

func destination(_ text: String) throws -> RelativePath { try RelativePath(text) }

func write(_ text: String, to sink: some ByteSink) throws(TransferFailure) {
  var failure: TransferFailure?
  Array(text.utf8).withUnsafeBytes { bytes in
    do throws(TransferFailure) { try sink.write(bytes) } catch { failure = error }
  }
  if let failure { throw failure }
}

/// The failure that `body` throws; records an issue when it throws none.
func failure(of body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation) -> TransferFailure? {
  do {
    try body()
    Issue.record("nothing was thrown", sourceLocation: sourceLocation)
  } catch let failure as TransferFailure {
    return failure
  } catch {
    Issue.record("\(error) is no transfer failure", sourceLocation: sourceLocation)
  }
  return nil
}
