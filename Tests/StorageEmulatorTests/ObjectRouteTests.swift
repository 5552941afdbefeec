import StorageEmulator
import Testing

/// Every route to an object, and what the two APIs say when there is none.
struct ObjectRouteTests {
  @Test(arguments: [
    "/v0/b/b/o/a%2Fb%20c?alt=media", "/storage/v1/b/b/o/a%2Fb%20c?alt=media", "/download/storage/v1/b/b/o/a%2Fb%20c",
    "/download/storage/v1/b/b/o/a%2Fb%20c?alt=media", "/b/b/o/a%2Fb%20c?alt=media", "/b/a/b%20c", "/b/a%2Fb%20c",
    "http://127.0.0.1/b/a/b%20c",
  ])
  func `each media route gives the bytes and describes them`(target: String) throws {
    let server = try StorageEmulator.holding("a/b c")
    let response = try server.ask(target)
    #expect(response.status == 200)
    #expect(response.text == "something")
    #expect(response["Content-Type"] == "text/plain")
    #expect(response["x-goog-hash"] == "crc32c=4sJ49Q==,md5=Q3uTDbhLgHnC3YBKcZNrXw==")
    #expect(response["x-goog-stored-content-length"] == "9")
    #expect(response["x-goog-stored-content-encoding"] == "identity")
    #expect(response["Accept-Ranges"] == "bytes")
    #expect(response["x-goog-generation"]?.utf8.count == 16)
    #expect(response["Last-Modified"]?.hasSuffix(" GMT") == true)
  }

  @Test(arguments: ["/v0/b/b/o/a", "/storage/v1/b/b/o/a", "/b/b/o/a", "/download/storage/v1/b/b/o/a?alt=json"])
  func `each metadata route gives JSON with hashes`(target: String) throws {
    let response = try StorageEmulator.holding("a").ask(target)
    #expect(response.status == 200)
    #expect(response["Content-Type"] == "application/json; charset=UTF-8")
    #expect(values(of: "name", in: response.text) == ["a"])
    #expect(values(of: "size", in: response.text) == ["9"])
    #expect(values(of: "md5Hash", in: response.text) == ["Q3uTDbhLgHnC3YBKcZNrXw=="])
    #expect(values(of: "crc32c", in: response.text) == ["4sJ49Q=="])
  }

  @Test func `plain requests have the hash as entity tag, the JSON APIs an opaque one`() throws {
    let server = try StorageEmulator.holding("a")
    #expect(try server.ask("/b/a")["ETag"] == "\"437b930db84b8079c2dd804a71936b5f\"")
    let json = try server.ask("/storage/v1/b/b/o/a")
    #expect(json["ETag"] == "\"\(values(of: "etag", in: json.text)[0])\"")
  }

  @Test(arguments: [
    ("/v0/b/b/o/none", #"{"error":{"code":404,"message":"Not Found."}}"#),
    (
      "/storage/v1/b/b/o/none",
      #"{"error":{"code":404,"message":"No such object: b/none","#
        + #""errors":[{"domain":"global","reason":"notFound","message":"No such object: b/none"}]}}"#
    ),
    ("/storage/v1/b/b/o/none?alt=media", "No such object: b/none"),
    ("/download/storage/v1/b/b/o/none", "No such object: b/none"),
    ("/storage/v1/b/nobucket/o/x?alt=media", "The specified bucket does not exist."),
    (
      "/b/none",
      "<?xml version='1.0' encoding='UTF-8'?><Error><Code>NoSuchKey</Code>"
        + "<Message>The specified key does not exist.</Message></Error>"
    ),
  ])
  func `a missing object is told in the shape of the API`(target: String, body: String) throws {
    let response = try StorageEmulator.holding().ask(target)
    #expect(response.status == 404)
    #expect(response.text == body)
  }

  @Test(arguments: [
    "/storage/v1/b/b/o/a?generation=x", "/storage/v1/b/b/o/a?ifGenerationMatch=", "/storage/v1/b/b/o/a?fields=a(b",
    "/storage/v1/b/b/o?maxResults=-1", "/storage/v1/b/b/o?pageToken=!!", "/storage/v1/b/b/o?matchGlob=%7Ba",
    "/v0/b/b/o?prefix=abc", "/v0/b/b/o?prefix=a//",
  ])
  func `a parameter that is not understood is a 400`(target: String) throws {
    let response = try StorageEmulator.holding("a").ask(target)
    #expect(response.status == 400)
    #expect(response.text.hasPrefix(#"{"error":{"code":400,"#))
  }

  @Test(arguments: ["/v0/b/b/o/a/b", "/storage/v1/b/b/o/a/b", "/storage/v1/b/b/x/a", "/storage/v1/b//o/a"])
  func `an object is one segment of a JSON target`(target: String) throws {
    #expect(try StorageEmulator.holding("a/b", "a").ask(target).status == 404)
  }

  @Test(arguments: [
    ("a//b", "a%2F%2Fb"), ("../x", "..%2Fx"), ("folder/", "folder%2F"), ("100%.txt", "100%25.txt"),
    ("a%2Fb", "a%252Fb"),
    ("a+b", "a+b"), ("é", "%C3%A9"), ("e\u{301}", "e%CC%81"),
    ("日本/東京.txt", "%E6%97%A5%E6%9C%AC%2F%E6%9D%B1%E4%BA%AC.txt"),
    ("-._~!$'()*,=:@&+;", "-._~!$'()*,=:@%26%2B%3B"), ("\t\u{7F}", "%09%7F"), ("/lead", "%2Flead"),
    ("#?[]", "%23%3F%5B%5D"),
  ])
  func `any name is decoded exactly once`(name: String, escaped: String) throws {
    let server = try StorageEmulator.holding()
    server.objects.put("b", name, text: "this one")
    #expect(try server.ask("/v0/b/b/o/\(escaped)?alt=media").text == "this one")
    #expect(try server.ask("/storage/v1/b/b/o/\(escaped)?alt=media").text == "this one")
    #expect(try server.ask("/b/\(escaped)").text == "this one")
  }

  @Test func `the two Unicode spellings of a name are two objects`() throws {
    let server = try StorageEmulator.holding()
    server.objects.put("b", "é", text: "composed")
    server.objects.put("b", "e\u{301}", text: "decomposed")
    #expect(try server.ask("/v0/b/b/o/%C3%A9?alt=media").text == "composed")
    #expect(try server.ask("/v0/b/b/o/e%CC%81?alt=media").text == "decomposed")
  }

  @Test func `plain paths keep slashes and dot segments`() throws {
    let server = try StorageEmulator.holding()
    server.objects.put("b", "a//b/../c", text: "as it is")
    #expect(try server.ask("/b/a//b/../c").text == "as it is")
  }

  @Test func `HEAD has the fields of GET and no body`() throws {
    let server = try StorageEmulator.holding("a")
    let response = try server.ask("/b/a", method: "HEAD")
    #expect(response["Content-Length"] == "9")
    #expect(response.body.isEmpty)
  }

  @Test func `buckets, the greeting and unknown writes`() throws {
    let server = try StorageEmulator.holding("a")
    #expect(try server.ask("/storage/v1/b/b").text.contains(#""kind":"storage#bucket","id":"b""#))
    #expect(try server.ask("/storage/v1/b/none").status == 404)
    #expect(try server.ask("/v0/").text == #"{"emulator":"storage"}"#)
    #expect(try server.ask("/v0/b/b/o/a", method: "DELETE").status == 501)
    #expect(try server.ask("/v0/b/b/o?name=x", method: "POST", body: "x").status == 501)
  }

  @Test func `a fields mask drops what it does not name`() throws {
    let server = try StorageEmulator.holding("a", "b", "c")
    #expect(try server.ask("/storage/v1/b/b/o/a?fields=name,size").text == #"{"name":"a","size":"9"}"#)
    let page = try server.ask("/storage/v1/b/b/o?maxResults=2&fields=items(name)")
    #expect(page.text == #"{"items":[{"name":"a"},{"name":"b"}]}"#)
    let whole = try server.ask("/storage/v1/b/b/o?maxResults=2&fields=items/name,nextPageToken")
    #expect(values(of: "nextPageToken", in: whole.text).count == 1)
  }
}
