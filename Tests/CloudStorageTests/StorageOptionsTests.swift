// Reading an app's settings from files and the environment.

@testable import CloudStorage
import Foundation
import TestSupport
import Testing

private let propertyList = """
  <?xml version="1.0" encoding="UTF-8"?>
  <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
  <plist version="1.0"><dict>
    <key>API_KEY</key><string>key</string>
    <key>STORAGE_BUCKET</key><string>demo.appspot.com</string>
    <key>GOOGLE_APP_ID</key><string>1:2:ios:3</string>
    <key>PROJECT_ID</key><string>demo</string>
    <key>IS_ADS_ENABLED</key><false/>
  </dict></plist>
  """

@Suite("Options")
struct StorageOptionsTests {
  @Test("a property list as the console offers it gives the settings")
  func file() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path + "/GoogleService-Info.plist"
    try propertyList.write(toFile: path, atomically: true, encoding: .utf8)
    for options in [
      try StorageOptions(contentsOfFile: path),
      try StorageOptions.discovered(environment: [:], folders: ["/x", folder.path]),
    ] {
      #expect(options.bucket == "demo.appspot.com")
      #expect(options.googleAppID == "1:2:ios:3")
      #expect(options.apiKey == "key" && options.projectID == "demo")
    }
  }

  @Test("a file that is none is an error that names it", arguments: ["", "not a list", "<plist><array/></plist>"])
  func badFile(text: String) throws {
    let folder = try TemporaryDirectory()
    let path = folder.path + "/GoogleService-Info.plist"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    let error = try storageError { try StorageOptions.discovered(environment: [:], folders: [folder.path]) }
    #expect(error.code == .invalidArgument)
    #expect(error.localizedDescription.contains(path))
    #expect(try storageError { try StorageOptions(contentsOfFile: path + "x") }.code == .invalidArgument)
  }

  @Test("FIREBASE_CONFIG wins, as JSON or as the path of a file with it")
  func environment() throws {
    let folder = try TemporaryDirectory()
    let json = #"{"storageBucket":"b","appId":"1:2:web:3","projectId":"p","apiKey":"k","databaseURL":null}"#
    try json.write(toFile: folder.path + "/config.json", atomically: true, encoding: .utf8)
    try propertyList.write(toFile: folder.path + "/GoogleService-Info.plist", atomically: true, encoding: .utf8)
    for value in [json, " \(json)", folder.path + "/config.json"] {
      let options = try StorageOptions.discovered(environment: ["FIREBASE_CONFIG": value], folders: [folder.path])
      #expect(options.bucket == "b" && options.googleAppID == "1:2:web:3")
    }
  }

  @Test("a FIREBASE_CONFIG that cannot be read is an error", arguments: ["{", "/no/such/file", "{]"])
  func badEnvironment(value: String) throws {
    let error = try storageError {
      try StorageOptions.discovered(environment: ["FIREBASE_CONFIG": value], folders: [])
    }
    #expect(error.code == .invalidArgument && error.localizedDescription.contains("FIREBASE_CONFIG"))
  }

  @Test("where nothing is found, nothing is set")
  func nothing() throws {
    let options = try StorageOptions.discovered(environment: ["FIREBASE_CONFIG": ""], folders: ["/no/such/folder"])
    #expect(options.bucket == nil && options.googleAppID == nil)
  }
}
