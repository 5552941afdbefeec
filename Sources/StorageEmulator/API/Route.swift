// From a request target to what it is about. Names are decoded exactly once, whatever they hold.

import TransferModel

/// What a target means.
enum Route {
  /// Below `/_emulator/`.
  case control(String)
  /// `/v0/`, which says who is there.
  case greeting
  case bucket(StorageAPI, String)
  case list(StorageAPI, String)
  /// `isMedia`: bytes even without `alt=media`.
  case object(StorageAPI, String, ObjectName, isMedia: Bool)
  case unknown(StorageAPI)

  init(_ target: RequestTarget) {
    let parts = target.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
      .map(Substring.init)
    if parts.first == "_emulator" {
      self = .control(parts.dropFirst().joined(separator: "/"))
    } else if parts == ["v0"] || parts == ["v0", ""] || parts == [""] {
      self = .greeting
    } else if parts.starts(with: ["v0", "b"]) {
      self = Self.resource(.firebase, parts.dropFirst(2), isMedia: false)
    } else if parts.starts(with: ["storage", "v1", "b"]) {
      self = Self.resource(.google, parts.dropFirst(3), isMedia: false)
    } else if parts.starts(with: ["download", "storage", "v1", "b"]) {
      self = Self.resource(.google, parts.dropFirst(4), isMedia: true)
    } else if parts.first == "b", parts.count >= 3, parts[2] == "o" {
      self = Self.resource(.google, parts.dropFirst(), isMedia: false)
    } else {
      self = Self.plain(target.path, parts)
    }
  }

  /// `BUCKET`, `BUCKET/o` or `BUCKET/o/OBJECT`; an object is one segment, its slashes escaped.
  private static func resource(_ api: StorageAPI, _ parts: ArraySlice<Substring>, isMedia: Bool) -> Route {
    let parts = Array(parts)
    guard let first = parts.first, let bucket = PercentEncoding.decode(first), !bucket.isEmpty else {
      return .unknown(api)
    }
    if parts.count == 1 { return .bucket(api, bucket) }
    guard parts[1] == "o", parts.count <= 3 else { return .unknown(api) }
    guard parts.count == 3, !parts[2].isEmpty else { return .list(api, bucket) }
    guard let name = PercentEncoding.decode(parts[2]) else { return .unknown(api) }
    return .object(api, bucket, ObjectName(name), isMedia: isMedia)
  }

  /// `/BUCKET/OBJECT`; all slashes after the second belong to the object.
  private static func plain(_ path: Substring, _ parts: [Substring]) -> Route {
    guard let first = parts.first, let bucket = PercentEncoding.decode(first), !bucket.isEmpty, parts.count > 1 else {
      return .unknown(.xml)
    }
    let rest = path.utf8.dropFirst(first.utf8.count + 2)
    guard !rest.isEmpty, let name = PercentEncoding.decode(Substring(rest)) else { return .unknown(.xml) }
    return .object(.xml, bucket, ObjectName(name), isMedia: true)
  }

  var api: StorageAPI? {
    switch self {
    case .control, .greeting: nil
    case .bucket(let api, _), .list(let api, _), .object(let api, _, _, _), .unknown(let api): api
    }
  }

  /// What a fault rule's path is held against.
  var subject: String {
    switch self {
    case .control, .greeting, .unknown: ""
    case .bucket(_, let bucket): bucket
    case .list(_, let bucket): bucket + "/"
    case .object(_, let bucket, let name, _): bucket + "/" + name.text
    }
  }

  func kind(of request: EmulatorRequest) -> RequestKind? {
    switch self {
    case .control, .greeting, .unknown: nil
    case .bucket: .bucket
    case .list: .list
    case .object(_, _, _, let isMedia):
      (request.target["alt"].map { $0 == "media" } ?? isMedia) && request.isRead ? .media : .metadata
    }
  }
}
