import StorageEmulator
import Testing

/// Edits of metadata, download tokens, and what ties both to a version.
struct MetadataTests {
  @Test func `PATCH changes what it names, null removes, the metageneration counts up`() throws {
    let server = try StorageEmulator()
    let metadata = ObjectMetadata(contentType: "a/b", cacheControl: "no-store", custom: ["a": "1", "b": "2"])
    server.objects.put("b", "x", Array("something".utf8), metadata, generation: 7)
    let body = #"{"contentType":"x/y","cacheControl":null,"metadata":{"a":null,"b":"3"},"size":5,"bucket":""}"#
    let answer = try server.ask("/storage/v1/b/b/o/x", method: "PATCH", body: body)
    #expect(answer.status == 200)
    let text = try server.ask(
      "/storage/v1/b/b/o/x?fields=contentType,cacheControl,metadata,generation,metageneration,size"
    )
    .text
    #expect(
      text == #"{"generation":"7","metageneration":"2","contentType":"x/y","size":"9","metadata":{"b":"3"}}"#)
    #expect(try server.ask("/b/x")["x-goog-meta-b"] == "3")
  }

  @Test func `PUT with an override is a PATCH; other bodies are refused`() throws {
    let server = try StorageEmulator.holding("x")
    let put = try server.ask(
      "/v0/b/b/o/x", "X-HTTP-Method-Override: PATCH", method: "PUT", body: #"{"contentLanguage":"de"}"#)
    #expect(values(of: "contentLanguage", in: put.text) == ["de"])
    #expect(try server.ask("/v0/b/b/o/x", method: "PATCH", body: "{").status == 400)
    #expect(try server.ask("/v0/b/b/o/x", method: "PATCH", body: #"{"contentType":5}"#).status == 400)
    #expect(try server.ask("/v0/b/b/o/none", method: "PATCH", body: "{}").status == 404)
  }

  @Test func `the first read by Firebase makes a token and counts the metageneration up, once`() throws {
    let server = try StorageEmulator.holding("x")
    #expect(values(of: "metageneration", in: try server.ask("/storage/v1/b/b/o/x").text) == ["1"])
    let first = try server.ask("/v0/b/b/o/x?alt=media")
    #expect(first["x-goog-metageneration"] == "2")
    let second = try server.ask("/v0/b/b/o/x").text
    #expect(values(of: "metageneration", in: second) == ["2"])
    #expect(values(of: "downloadTokens", in: second).first?.utf8.count == 36)
    #expect(values(of: "generation", in: second) == [first["x-goog-generation"]])
  }

  @Test func `new bytes are a new generation with metageneration one`() throws {
    let server = try StorageEmulator.holding("x")
    let old = try server.ask("/v0/b/b/o/x?alt=media")
    server.objects.put("b", "x", text: "other")
    let new = try server.ask("/storage/v1/b/b/o/x?alt=media")
    #expect(new.text == "other" && new["x-goog-metageneration"] == "1")
    #expect(try #require(Int64(new["x-goog-generation"] ?? "")) > #require(Int64(old["x-goog-generation"] ?? "")))
  }

  @Test func `a token opens what the rules close`() throws {
    let server = try StorageEmulator.holding("x")
    let token = values(of: "downloadTokens", in: try server.ask("/v0/b/b/o/x").text)[0]
    try server.faults.set("on b/x => auth require \"Firebase me\" else 403")
    #expect(try server.ask("/v0/b/b/o/x?alt=media").status == 403)
    #expect(try server.ask("/v0/b/b/o/x?alt=media&token=wrong").status == 403)
    #expect(try server.ask("/v0/b/b/o/x?alt=media&token=\(token)").text == "something")
    #expect(try server.ask("/v0/b/b/o/x?alt=media", "Authorization: Firebase me").status == 200)
    #expect(try server.ask("/v0/b/b/o/x?alt=media", "Authorization: Bearer owner").status == 200)
  }

  @Test func `the owner makes and takes away tokens`() throws {
    let server = try StorageEmulator.holding("x")
    let first = values(of: "downloadTokens", in: try server.ask("/v0/b/b/o/x").text)[0]
    #expect(try server.ask("/v0/b/b/o/x?create_token=true", method: "POST", body: "x").status == 403)
    let owner = "Authorization: Bearer owner"
    let two = try server.ask("/v0/b/b/o/x?create_token=true", owner, method: "POST", body: "x").text
    #expect(values(of: "downloadTokens", in: two)[0].hasPrefix(first + ","))
    let one = try server.ask("/v0/b/b/o/x?delete_token=\(first)", owner, method: "POST", body: "x").text
    #expect(!values(of: "downloadTokens", in: one)[0].contains(first))
    #expect(try server.ask("/v0/b/b/o/x?create_token=no", owner, method: "POST", body: "x").status == 400)
  }

  @Test func `a metadata file speaks for files`() throws {
    let folder = try ScratchFolder()
    folder.write("b/x", "something")
    var configuration = EmulatorConfiguration(root: folder.path)
    configuration.metadata = #"{"b":{"x":{"contentType":"t/y","metadata":{"k":"v"},"downloadTokens":"t1,t2"}}}"#
    let server = try StorageEmulator(configuration)
    let text = try server.ask("/v0/b/b/o/x").text
    #expect(values(of: "contentType", in: text) == ["t/y"])
    #expect(values(of: "downloadTokens", in: text) == ["t1,t2"])
    #expect(values(of: "metageneration", in: text) == ["1"])
    #expect(throws: EmulatorFailure.self) { try StorageEmulator(EmulatorConfiguration(metadata: "[")) }
  }

  @Test func `U01 U02 U03 U04 U05 U08 the emulator's habits`() throws {
    let server = try StorageEmulator(EmulatorConfiguration(quirks: .emulator))
    server.objects.put("b", "x", text: "hello world")
    let text = try server.ask("/v0/b/b/o/x").text
    #expect(values(of: "crc32c", in: text) == ["3381945770"])
    #expect(values(of: "generation", in: text)[0].utf8.count == 13)
    let missing = try server.ask("/v0/b/b/o/none")
    #expect(missing.status == 404 && missing.text == "Not Found")
    let media = try server.ask("/v0/b/b/o/x?alt=media", "Range: bytes=99-")
    #expect(media.status == 200 && media.text == "hello world")
    #expect(media["Content-Encoding"] == "" && media["Cache-Control"] == "")
    #expect(media["ETag"]?.hasPrefix("\"") == false)
    #expect(media["x-goog-metadatageneration"] == "2" && media["x-goog-metageneration"] == nil)
    #expect(media["x-goog-stored-content-length"] == nil)
  }
}
