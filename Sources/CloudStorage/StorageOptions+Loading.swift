// Reads an app's settings from where they usually lie. Not for credentials: those come through providers.

import Foundation
import LocalFiles
import TransferModel

extension StorageOptions {
  /// Settings from a property list, such as the `GoogleService-Info.plist` that the console offers for download. Keys:
  /// `STORAGE_BUCKET`, `GOOGLE_APP_ID`, `API_KEY`, `PROJECT_ID`; others are ignored.
  ///
  /// Throws ``StorageError/invalidArgument(message:)`` when the file cannot be read or is no property list with a dictionary.
  public init(contentsOfFile path: String) throws {
    // Not by Foundation, which leaks a page for every file that is empty.
    guard let bytes = try? WholeFile.read(path, limit: ByteCount(1 << 20)) else {
      throw StorageError.invalidArgument(message: "\(path) cannot be read; it should be a GoogleService-Info.plist.")
    }
    let list = try? PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
    guard let entries = list as? [String: Any] else {
      throw StorageError.invalidArgument(
        message: "\(path) is not a property list with a dictionary; download it again from the console.")
    }
    self.init(
      bucket: entries["STORAGE_BUCKET"] as? String, googleAppID: entries["GOOGLE_APP_ID"] as? String,
      apiKey: entries["API_KEY"] as? String, projectID: entries["PROJECT_ID"] as? String)
  }

  /// Settings from the environment, else from a `GoogleService-Info.plist` in the current directory or beside the program;
  /// empty when there is neither.
  ///
  /// `FIREBASE_CONFIG` holds a JSON object or the path of a file with one; its keys `storageBucket`, `projectId`, `apiKey`
  /// and `appId` are read.
  ///
  /// Throws ``StorageError/invalidArgument(message:)`` when something is there that cannot be read.
  public static func discovered() throws -> StorageOptions {
    let folders = [FileManager.default.currentDirectoryPath, Bundle.main.resourcePath].compactMap { $0 }
    return try discovered(environment: ProcessInfo.processInfo.environment, folders: folders)
  }

  static func discovered(environment: [String: String], folders: [String]) throws(StorageError) -> StorageOptions {
    if let value = environment["FIREBASE_CONFIG"], !ASCII.trimmed(Substring(value)).isEmpty {
      return try fromJSON(value)
    }
    let candidates = folders.map { $0 + "/GoogleService-Info.plist" }
    guard let path = candidates.first(where: { FileManager.default.fileExists(atPath: $0) }) else {
      return StorageOptions()
    }
    do {
      return try StorageOptions(contentsOfFile: path)
    } catch {
      throw error as? StorageError ?? .invalidArgument(message: "\(path): \(error)")
    }
  }

  private static func fromJSON(_ value: String) throws(StorageError) -> StorageOptions {
    var text = Array(value.utf8)
    if ASCII.trimmed(Substring(value)).utf8.first != UInt8(ascii: "{") {
      guard let data = FileManager.default.contents(atPath: value) else {
        throw .invalidArgument(message: "FIREBASE_CONFIG names \(value), which cannot be read.")
      }
      text = Array(data)
    }
    guard let json = try? JSONValue(parsing: text), json.members != nil else {
      throw .invalidArgument(message: "FIREBASE_CONFIG is neither a JSON object nor the path of a file with one.")
    }
    return StorageOptions(
      bucket: json["storageBucket"]?.string, googleAppID: json["appId"]?.string, apiKey: json["apiKey"]?.string,
      projectID: json["projectId"]?.string)
  }
}
