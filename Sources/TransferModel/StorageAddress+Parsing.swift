// Reads the spellings of an object in a bucket. Nothing is normalised here: `normalized()` applies Firebase's rule for
// those who speak its API, while Google's API addresses `a//b` and `/a` as they are.

extension StorageAddress {
  /// Why a text names no object.
  package struct Violation: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
      /// Neither `gs://`, `http://` nor `https://`.
      case scheme
      /// A URL, but of none of the known forms: it may still be an ordinary link.
      case form
      /// One of the known forms with a broken part: an escape, UTF-8, a host, an empty bucket.
      case malformed
    }

    package var kind: Kind
    package var message: String

    package init(_ message: String, kind: Kind = .malformed) {
      self.kind = kind
      self.message = message
    }
  }

  /// Reads one of these, with schemes and hosts in any case; `O` may be empty or missing (the bucket's root) and may
  /// hold raw slashes. A query and a fragment are dropped.
  ///
  /// | form | bucket and object |
  /// | --- | --- |
  /// | `gs://B/O` | as written, never decoded; leading slashes are skipped |
  /// | `http(s)://HOST/v0/b/B[/o/O]`, any number after the `v` | decoded once |
  /// | `http(s)://HOST/b/B/o/O` | decoded once |
  /// | `http(s)://HOST[/download]/storage/v1/b/B/o/O` | decoded once |
  /// | `http(s)://storage.googleapis.com/B/O`, also `storage.cloud.google.com` | decoded once |
  /// | `http(s)://B.storage.googleapis.com/O` | decoded once |
  ///
  /// On `storage.googleapis.com` a path that fits an API form is read as such, so a bucket that is really called `b` or
  /// `v0` must be written as `gs://`. `endpoint` is set when the host is not one of Google's.
  package init(parsing text: String) throws(Violation) {
    let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
    let scheme = text[..<colon].lowercased()
    guard text[colon...].utf8.starts(with: "://".utf8), ["gs", "http", "https"].contains(scheme) else {
      throw Violation("URL scheme must be one of gs://, http://, or https://", kind: .scheme)
    }
    if scheme == "gs" {
      try self.init(afterScheme: text[text.utf8.index(colon, offsetBy: 3)...].utf8)
      return
    }
    do {
      try self.init(link: HTTPURL(parsing: text))
    } catch let violation as HTTPURL.Violation {
      throw Violation(violation.rawValue)
    } catch let violation as Violation {
      throw violation
    } catch {
      throw Violation("\(error)")
    }
  }

  /// The same bucket with Firebase's idea of a path: runs of `/` become one, `/` at either end goes, and an empty name is
  /// the root. Nothing else changes: `.` and `..` are names, and letters keep their Unicode form.
  package func normalized() -> StorageAddress {
    var copy = self
    copy.object = object.flatMap { StoragePath.normalize($0.text.utf8) }.map { ObjectName($0) }
    return copy
  }
}

extension StorageAddress {
  private init(afterScheme rest: Substring.UTF8View) throws(Violation) {
    let slash = UInt8(ascii: "/")
    let named = rest.drop { $0 == slash }
    guard !named.isEmpty else { throw Violation("URI must be in the form of gs://<bucket>/<path/to/object>") }
    let bucket = named.prefix { $0 != slash }
    let object = named[bucket.endIndex...].dropFirst()
    self.init(
      bucket: String(Substring(bucket)), object: object.isEmpty ? nil : ObjectName(String(Substring(object))))
  }

  /// Reads a URL; the forms are those of `init(parsing:)`.
  package init(link url: HTTPURL) throws(Violation) {
    let host = url.origin.host
    let virtualHostSuffix = ".storage.googleapis.com"
    if host.hasSuffix(virtualHostSuffix), host.utf8.count > virtualHostSuffix.utf8.count {
      let bucket = String(host.dropLast(virtualHostSuffix.utf8.count))
      try self.init(bucket: bucket, escapedObject: url.pathUTF8.dropFirst(), origin: url.origin)
      return
    }
    let servesBuckets = host == "storage.googleapis.com" || host == "storage.cloud.google.com"
    var walk = SegmentWalk(url.pathUTF8)
    guard let bucket = try walk.bucketOfAPIForm(needsObjectPart: servesBuckets) else {
      guard servesBuckets else {
        throw Violation(
          "URL must be in the form of http[s]://<host>/v0/b/<bucket>/o/<path/to/object>[?token=signed_url_params]",
          kind: .form)
      }
      let path = url.pathUTF8.dropFirst()
      let escapedBucket = path.prefix { $0 != UInt8(ascii: "/") }
      try self.init(
        bucket: Self.decode(escapedBucket), escapedObject: path[escapedBucket.endIndex...].dropFirst(),
        origin: url.origin)
      return
    }
    try self.init(bucket: bucket, escapedObject: walk.rest, origin: url.origin)
  }

  /// Whether a path may be that of a link to an object, at a server whose other paths are plain ones.
  package static func mayBeLink(path: UnsafeBufferPointer<UInt8>) -> Bool { SegmentWalk.mayBeAPIForm(path) }

  private init(bucket: String, escapedObject: Substring.UTF8View, origin: Origin) throws(Violation) {
    guard !bucket.isEmpty else { throw Violation("the URL names no bucket") }
    let object = try Self.decode(escapedObject)
    self.init(
      bucket: bucket, object: object.isEmpty ? nil : ObjectName(object),
      endpoint: Self.isGoogle(origin) ? nil : origin)
  }

  private static func isGoogle(_ origin: Origin) -> Bool {
    guard origin.port == origin.scheme.defaultPort else { return false }
    return [
      "firebasestorage.googleapis.com", "storage.googleapis.com", "storage.cloud.google.com", "www.googleapis.com",
    ].contains(origin.host) || origin.host.hasSuffix(".storage.googleapis.com")
  }

  fileprivate static func decode(_ escaped: Substring.UTF8View) throws(Violation) -> String {
    guard let text = PercentEncoding.decode(Substring(escaped)) else {
      throw Violation("the URL has a broken percent escape, or one that is not UTF-8; a literal % is written %25")
    }
    return text
  }
}

/// Takes a path apart from the left, segment by segment; empty segments before the object are skipped, as the SDK does.
private struct SegmentWalk {
  private(set) var rest: Substring.UTF8View

  init(_ path: Substring.UTF8View) { rest = path }

  private mutating func next() -> Substring.UTF8View? {
    let slash = UInt8(ascii: "/")
    let start = rest.drop { $0 == slash }
    guard !start.isEmpty else { return nil }
    let segment = start.prefix { $0 != slash }
    // Only the one slash behind the segment goes with it: those that follow belong to the object's name.
    rest = start[segment.endIndex...].dropFirst()
    return segment
  }

  /// The bucket, with `rest` standing at the object; nil when the path fits none of the API forms.
  mutating func bucketOfAPIForm(needsObjectPart: Bool) throws(StorageAddress.Violation) -> String? {
    guard mayBeAPIForm else { return nil }
    var literal = next()
    var requiresObjectPart = needsObjectPart
    if Self.isVersion(literal) {
      literal = next()
    } else {
      requiresObjectPart = true
      if Self.matches(literal, "download") { literal = next() }
      if Self.matches(literal, "storage") {
        guard Self.matches(next(), "v1") else { return nil }
        literal = next()
      }
    }
    guard Self.matches(literal, "b"), let bucket = next() else { return nil }
    if let marker = next() {
      guard Self.matches(marker, "o") else { return nil }
    } else if requiresObjectPart {
      return nil
    }
    return try StorageAddress.decode(bucket)
  }

  /// Whether the first segment is one with which a form begins. That of most links is not, and they need not be taken apart.
  private var mayBeAPIForm: Bool {
    rest.withContiguousStorageIfAvailable { Self.mayBeAPIForm($0) } ?? true
  }

  static func mayBeAPIForm(_ path: UnsafeBufferPointer<UInt8>) -> Bool {
    let slash = UInt8(ascii: "/")
    let start = path.firstIndex { $0 != slash } ?? path.count
    let end = path[start...].firstIndex(of: slash) ?? path.count
    guard end > start else { return false }
    switch (path[start], end - start) {
    case (UInt8(ascii: "b"), 1), (UInt8(ascii: "s"), 7), (UInt8(ascii: "d"), 8): return true
    default: return path[start] == UInt8(ascii: "v")
    }
  }

  private static func matches(_ segment: Substring.UTF8View?, _ word: String) -> Bool {
    segment.map { $0.elementsEqual(word.utf8) } ?? false
  }

  /// `v` and one digit or more.
  private static func isVersion(_ segment: Substring.UTF8View?) -> Bool {
    guard let segment, segment.first == UInt8(ascii: "v") else { return false }
    return segment.count > 1 && segment.dropFirst().allSatisfy(ASCII.isDigit)
  }
}
