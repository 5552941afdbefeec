// Requests to the two storage APIs as values: addresses, queries and the fields that are not secret. Nothing is sent here;
// credentials come in when a request is sent (`RequestAuthorizer`).

package import TransferModel

/// Builds the requests of one endpoint.
package struct ObjectService: Hashable, Sendable {
  package let api: StorageAPI
  package let origin: Origin
  /// The project that pays for requests to a "requester pays" bucket; Google's API only.
  package var userProject: String?
  package var timeouts: TransferTimeouts

  /// `origin` is the service's own unless given.
  package init(
    _ api: StorageAPI, origin: Origin? = nil, userProject: String? = nil,
    timeouts: TransferTimeouts = TransferTimeouts()
  ) {
    self.api = api
    self.origin = origin ?? api.defaultOrigin
    self.userProject = userProject
    self.timeouts = timeouts
  }

  /// Asks for everything about one object but its bytes; the answer is read by `ObjectMetadata`.
  ///
  /// On Firebase even a read may move the object's `metageneration`, `updated` and ETag (it makes a download token), so those
  /// say nothing about its content.
  package func metadata(
    of object: ObjectName, in bucket: String, generation: Int64? = nil
  ) -> HTTPRequest {
    var query = Query()
    if api == .google {
      query.add("generation", generation)
      query.add("prettyPrint", "false")
    }
    return request(objectPath(object, in: bucket), query)
  }

  /// Asks for the bytes as they are stored; `storedEncoding` is what a listing or metadata said, and decides which
  /// `Accept-Encoding` brings them unchanged (`StoredEncoding.acceptEncoding`).
  ///
  /// `generation` pins a version at Google's API. Firebase has no such parameter: there, and at emulators, which ignore it,
  /// the response's `x-goog-generation` must be compared. With `unlessGeneration`, Google answers 304 while that is the
  /// live version.
  package func media(
    of object: ObjectName, in bucket: String, generation: Int64? = nil, unlessGeneration known: Int64? = nil,
    range: ByteRange? = nil, storedEncoding: StoredEncoding = .unknown
  ) -> HTTPRequest {
    var query = Query()
    query.add("alt", "media")
    if api == .google {
      query.add("generation", generation)
      query.add("ifGenerationNotMatch", known)
    }
    var request = request(objectPath(object, in: bucket), query)
    request.fields.append("Accept-Encoding", storedEncoding.acceptEncoding)
    if let range { request.fields.append("Range", range.fieldValue) }
    return request
  }

  /// How far down a list looks.
  package enum ListDepth: Hashable, Sendable {
    /// Every name that begins with the prefix. Google's API only: Firebase lists a folder at a time (`ListWalk`).
    case everything
    /// Names up to the next `/`; those below come as prefixes.
    case folder
  }

  /// Asks for one page of names; the answer is read by `ObjectListPage`.
  ///
  /// For Firebase the prefix must be empty or end in `/`, and the depth is always `.folder`. `maxResults` nil leaves the
  /// page's size to the server; `pageToken` is what the page before gave, verbatim, with everything else the same.
  package func list(
    bucket: String, prefix: String = "", depth: ListDepth = .folder, pageToken: String? = nil, maxResults: Int? = nil
  ) -> HTTPRequest {
    var query = Query()
    query.add("prefix", prefix.isEmpty ? nil : prefix)
    if depth == .folder || api == .firebase { query.add("delimiter", "/") }
    query.add("maxResults", maxResults.map { Int64($0) })
    query.add("pageToken", pageToken)
    if api == .google {
      query.add("fields", Self.listFields)
      query.add("prettyPrint", "false")
    }
    return request(bucketPath(bucket), query)
  }

  /// What a download link consists of; whoever holds it can read the object, so it is a secret.
  package func downloadURL(of object: ObjectName, in bucket: String, token: String) -> HTTPURL {
    var query = Query()
    query.add("alt", "media")
    query.add("token", token)
    return HTTPURL(origin: origin, path: objectPath(object, in: bucket), query: query.text)
  }

  /// Without `nextPageToken` in the mask, paging would end silently after the first page.
  private static let listFields =
    "items(name,size,generation,md5Hash,crc32c,contentEncoding,updated),prefixes,nextPageToken"
}

extension ObjectService {
  private func request(_ path: String, _ query: Query) -> HTTPRequest {
    var query = query
    if api == .google { query.add("userProject", userProject) }
    return HTTPRequest(.get, HTTPURL(origin: origin, path: path, query: query.text), timeouts: timeouts)
  }

  private func bucketPath(_ bucket: String) -> String {
    switch api {
    case .firebase: "/v0/b/" + PercentEncoding.encode(bucket, as: .firebase) + "/o"
    case .google: "/storage/v1/b/" + PercentEncoding.encode(bucket) + "/o"
    }
  }

  /// The whole name is one segment: its slashes are escaped, or the service would not find it.
  private func objectPath(_ object: ObjectName, in bucket: String) -> String {
    bucketPath(bucket) + "/" + PercentEncoding.encode(object.text, as: api == .firebase ? .firebase : .strict)
  }
}

/// Query parameters in the order in which they were added, values escaped.
private struct Query {
  private(set) var text: String?

  mutating func add(_ name: String, _ value: String?) {
    guard let value else { return }
    text = (text.map { $0 + "&" } ?? "") + name + "=" + PercentEncoding.encode(value)
  }

  mutating func add(_ name: String, _ value: Int64?) { add(name, value.map { String($0) }) }
}
