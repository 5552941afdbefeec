// Which requests a fault is for.

import TransferModel

/// Conditions that all must hold, and what happens then.
package struct FaultRule: Sendable {
  /// nil = any.
  package var method: String?
  package var kind: RequestKind?
  package var api: StorageAPI?
  /// Over `bucket/object`, decoded; lists have `bucket/`. nil = any.
  package var path: String?
  /// The beginning of the raw target.
  package var target: String?
  /// A field that the request must have.
  package var field: String?
  /// The Host field without its port.
  package var host: String?
  /// Which of the requests that meet all other conditions, counted for each path by itself.
  package var requests: Ordinals
  /// Counts the requests of all paths together.
  package var countsTogether: Bool
  package var connections: Ordinals
  package var actions: [FaultAction]

  package init(
    _ path: String? = nil, method: String? = nil, kind: RequestKind? = nil, api: StorageAPI? = nil,
    target: String? = nil, field: String? = nil, host: String? = nil, requests: Ordinals = .all,
    countsTogether: Bool = false, connections: Ordinals = .all, actions: [FaultAction]
  ) {
    self.path = path
    self.method = method
    self.kind = kind
    self.api = api
    self.target = target
    self.field = field
    self.host = host
    self.requests = requests
    self.countsTogether = countsTogether
    self.connections = connections
    self.actions = actions
  }

  /// Whether the request meets everything but the count.
  func matches(_ request: EmulatorRequest, _ route: Route) -> Bool {
    if let method, method != request.method { return false }
    if let kind, kind != route.kind(of: request) { return false }
    if let api, api != route.api { return false }
    if let target, !request.target.raw.utf8.starts(with: target.utf8) { return false }
    if let field, request.fields[field] == nil { return false }
    if let host, host != request.fields["Host"]?.split(separator: ":").first.map(String.init) { return false }
    if let path, MatchGlob(path)?.matches(route.subject) != true { return false }
    return connections.contains(request.connection)
  }
}

/// Which of a row of things counted from 1.
package enum Ordinals: Sendable, Equatable {
  case all
  case range(ClosedRange<Int>)
  case every(Int)
  case after(Int)

  package static func number(_ number: Int) -> Ordinals { .range(number...number) }

  func contains(_ number: Int) -> Bool {
    switch self {
    case .all: true
    case .range(let range): range.contains(number)
    case .every(let step): step > 0 && number % step == 0
    case .after(let last): number > last
    }
  }
}

/// What a request is after.
package enum RequestKind: String, Sendable, CaseIterable {
  case list, metadata, media, bucket
}

/// Whose language a request speaks.
package enum StorageAPI: String, Sendable, CaseIterable {
  case firebase
  /// Google's JSON API.
  case google
  /// Plain `/bucket/object` paths.
  case xml
}
