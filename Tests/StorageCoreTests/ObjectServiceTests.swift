// Requests as they go out: conformance groups E and L, as far as they need no server.

import StorageCore
import Testing
import TransferModel

private let firebase = ObjectService(.firebase)
private let google = ObjectService(.google)

private func target(_ request: HTTPRequest) -> String {
  request.url.path + (request.url.query.map { "?" + $0 } ?? "")
}

private func query(_ request: HTTPRequest) -> Set<String> {
  Set((request.url.query ?? "").split(separator: "&").map { String($0) })
}

@Suite("Requests")
struct ObjectServiceTests {
  @Test("E01: metadata has no query at Firebase")
  func metadata() {
    let request = firebase.metadata(of: ObjectName("a/b"), in: "bucket")
    #expect(request.method == .get)
    #expect(request.url.wireText == "https://firebasestorage.googleapis.com/v0/b/bucket/o/a%2Fb")
    #expect(
      google.metadata(of: ObjectName("a/b"), in: "bucket", generation: 5).url.wireText
        == "https://storage.googleapis.com/storage/v1/b/bucket/o/a%2Fb?generation=5&prettyPrint=false")
  }

  @Test("E02: media is asked for by alt=media")
  func media() {
    #expect(target(firebase.media(of: ObjectName("a/b"), in: "bucket")) == "/v0/b/bucket/o/a%2Fb?alt=media")
    #expect(target(google.media(of: ObjectName("a/b"), in: "bucket")) == "/storage/v1/b/bucket/o/a%2Fb?alt=media")
  }

  @Test("a version is pinned at Google's API, which alone has the parameter")
  func generation() {
    #expect(query(google.media(of: ObjectName("a"), in: "b", generation: 7)) == ["alt=media", "generation=7"])
    #expect(query(firebase.media(of: ObjectName("a"), in: "b", generation: 7)) == ["alt=media"])
  }

  @Test(
    "P01 P04: Accept-Encoding brings the stored bytes",
    arguments: [(StoredEncoding.gzip, "gzip"), (.identity, "identity"), (.unknown, "identity")])
  func acceptEncoding(stored: StoredEncoding, sent: String) {
    for service in [firebase, google] {
      let request = service.media(of: ObjectName("a"), in: "b", storedEncoding: stored)
      #expect(request.fields.values("Accept-Encoding") == [sent])
    }
  }

  @Test("a range is sent as it is, none otherwise")
  func range() {
    let request = google.media(of: ObjectName("a"), in: "b", range: ByteRange(first: 5))
    #expect(request.fields["Range"] == "bytes=5-")
    #expect(google.media(of: ObjectName("a"), in: "b").fields["Range"] == nil)
  }

  @Test("E06 E07 E08: a Firebase list looks into one folder")
  func firebaseList() {
    let listAll = firebase.list(bucket: "bucket", prefix: "a/b/")
    #expect(listAll.url.path == "/v0/b/bucket/o")
    #expect(query(listAll) == ["prefix=a%2Fb%2F", "delimiter=%2F"])
    #expect(query(firebase.list(bucket: "bucket")) == ["delimiter=%2F"])
    #expect(query(firebase.list(bucket: "bucket", depth: .everything)) == ["delimiter=%2F"])
    let page = firebase.list(bucket: "bucket", pageToken: "t+1", maxResults: 10)
    #expect(query(page) == ["delimiter=%2F", "maxResults=10", "pageToken=t%2B1"])
  }

  @Test("M23: a Google list asks for what is needed, the next token included")
  func googleList() throws {
    let request = google.list(bucket: "b", prefix: "a b/", depth: .everything, pageToken: "x/y==", maxResults: 1_000)
    let parameters = query(request)
    #expect(request.url.path == "/storage/v1/b/b/o")
    #expect(parameters.isSuperset(of: ["prefix=a%20b%2F", "pageToken=x%2Fy%3D%3D", "maxResults=1000"]))
    #expect(!parameters.contains { $0.hasPrefix("delimiter") })
    let fields = try #require(parameters.first { $0.hasPrefix("fields=") })
    let mask = try #require(PercentEncoding.decode(fields))
    #expect(mask.contains("nextPageToken") && mask.contains("prefixes") && mask.contains("generation"))
    #expect(query(google.list(bucket: "b")).contains("delimiter=%2F"))
  }

  @Test("requester pays: every Google request names the project, no Firebase one does")
  func userProject() {
    let paid = ObjectService(.google, userProject: "my-project")
    for request in [
      paid.metadata(of: ObjectName("a"), in: "b"), paid.media(of: ObjectName("a"), in: "b"), paid.list(bucket: "b"),
    ] { #expect(query(request).contains("userProject=my-project")) }
    let free = ObjectService(.firebase, userProject: "my-project")
    #expect(query(free.media(of: ObjectName("a"), in: "b")) == ["alt=media"])
  }

  @Test("E17: a name of 1,024 bytes goes out whole")
  func longName() throws {
    let name = String(repeating: "日", count: 341) + "x"
    let request = google.media(of: ObjectName(name), in: "b")
    let segment = try #require(request.url.path.split(separator: "/").last)
    #expect(name.utf8.count == 1_024)
    #expect(PercentEncoding.decode(segment) == name)
    #expect(throws: Never.self) { try HTTPURL(parsing: request.url.wireText) }
  }

  @Test(
    "A20 D13 L04: names cannot break out of their segment", arguments: [StorageAPI.firebase, .google])
  func segments(api: StorageAPI) throws {
    let service = ObjectService(api)
    for name in ["a\r\nb", "../x", "a?b#c", "/a//b/", "%2F", "."] {
      let url = service.media(of: ObjectName(name), in: "bucket#/o/other").url
      #expect(url.path.contains("bucket%23%2Fo%2Fother"))
      let parsed = try StorageAddress(parsing: url.wireText)
      #expect(parsed == StorageAddress(bucket: "bucket#/o/other", object: ObjectName(name)))
    }
  }

  @Test("L01 L05 L06: the link holds bucket, name and token, all escaped")
  func downloadURL() {
    #expect(
      firebase.downloadURL(of: ObjectName("a/b c"), in: "bucket", token: "t1").wireText
        == "https://firebasestorage.googleapis.com/v0/b/bucket/o/a%2Fb%20c?alt=media&token=t1")
    #expect(
      firebase.downloadURL(of: ObjectName("a"), in: "b", token: "a+b c&d=e").query
        == "alt=media&token=a%2Bb%20c%26d%3De")
    let emulator = ObjectService(.firebase, origin: Origin(scheme: .http, host: "127.0.0.1", port: 9199))
    #expect(
      emulator.downloadURL(of: ObjectName("a"), in: "b", token: "t").wireText
        == "http://127.0.0.1:9199/v0/b/b/o/a?alt=media&token=t")
  }

  @Test("L10: a link is printed without its token")
  func printed() {
    #expect("\(firebase.downloadURL(of: ObjectName("a"), in: "b", token: "s3cret"))".contains("token=REDACTED"))
  }
}

@Suite("Emulators in the environment")
struct StorageEnvironmentTests {
  @Test(
    "U10: with and without scheme and slash",
    arguments: ["127.0.0.1:9199", "http://127.0.0.1:9199", "http://127.0.0.1:9199/", " 127.0.0.1:9199/ "])
  func spellings(value: String) throws {
    for name in ["STORAGE_EMULATOR_HOST", "FIREBASE_STORAGE_EMULATOR_HOST"] {
      let environment = try StorageEnvironment { $0 == name ? value : nil }
      #expect(environment.emulator == Origin(scheme: .http, host: "127.0.0.1", port: 9199))
      #expect(environment.variable == name)
      #expect(environment.service(.google).origin.port == 9199)
    }
  }

  @Test("the Firebase variable wins, https is kept, empty is not set")
  func precedence() throws {
    let both = ["FIREBASE_STORAGE_EMULATOR_HOST": "a:1", "STORAGE_EMULATOR_HOST": "https://b:2"]
    #expect(try StorageEnvironment { both[$0] }.emulator?.description == "http://a:1")
    let second = ["FIREBASE_STORAGE_EMULATOR_HOST": "", "STORAGE_EMULATOR_HOST": "https://b:2"]
    #expect(try StorageEnvironment { second[$0] }.emulator?.description == "https://b:2")
    let none = try StorageEnvironment { _ in nil }
    #expect(none.emulator == nil)
    #expect(none.service(.firebase).origin == StorageAPI.firebase.defaultOrigin)
  }

  @Test(
    "is refused with the variable's name",
    arguments: [
      "ftp://h", "h:0", "h/path", "http://u:p@h", "http://h?x", "a b", ":9199",
    ])
  func refused(value: String) {
    let violation = #expect(throws: StorageEnvironment.Violation.self) {
      try StorageEnvironment { $0 == "STORAGE_EMULATOR_HOST" ? value : nil }
    }
    #expect(violation?.message.contains("STORAGE_EMULATOR_HOST") == true)
    #expect(violation?.message.contains("u:p") == false)
  }
}
