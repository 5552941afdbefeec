// Conditions on the version of an object: query parameters of Google's API and the fields of RFC 9110 section 13.

import TransferModel

/// Whether a request goes on.
enum PreconditionOutcome: Equatable {
  case proceed
  /// 304.
  case notModified
  /// 412.
  case failed
  /// 404: the version that was asked for is not the live one.
  case noSuchVersion
  /// 400: the parameter is no number.
  case invalid(String)
}

enum Preconditions {
  /// | condition | met | not met |
  /// | --- | --- | --- |
  /// | `generation=G` | go on | 404 |
  /// | `ifGenerationMatch`, `ifMetagenerationMatch`, `If-Match`, `If-Unmodified-Since` | go on | 412 |
  /// | `ifGenerationNotMatch`, `ifMetagenerationNotMatch`, `If-None-Match`, `If-Modified-Since` | go on | 304 |
  ///
  /// 412 goes before 304; entity tags go before dates (RFC 9110 section 13.2.2). `etags` are all spellings of the
  /// object's tag that its APIs send.
  static func evaluate(_ request: EmulatorRequest, _ object: StoredObject, etags: [String]) -> PreconditionOutcome {
    let target = request.target
    for parameter in parameters where target[parameter] != nil {
      guard target[parameter].flatMap({ Int64($0) }) != nil else { return .invalid(parameter) }
    }
    if let wanted = target["generation"], Int64(wanted) != object.generation { return .noSuchVersion }
    let numbers = [("Generation", object.generation), ("Metageneration", object.metageneration)]
    for (name, number) in numbers {
      if let wanted = target["if\(name)Match"], Int64(wanted) != number { return .failed }
    }
    if let wanted = request.fields["If-Match"], !names(wanted, etags) { return .failed }
    if request.fields["If-Match"] == nil, let limit = date(request, "If-Unmodified-Since"),
      object.created.seconds > limit.seconds
    {
      return .failed
    }
    for (name, number) in numbers {
      if let known = target["if\(name)NotMatch"], Int64(known) == number { return .notModified }
    }
    if let known = request.fields["If-None-Match"] { return names(known, etags) ? .notModified : .proceed }
    if let known = date(request, "If-Modified-Since"), object.created.seconds <= known.seconds { return .notModified }
    return .proceed
  }

  private static let parameters = [
    "generation", "ifGenerationMatch", "ifGenerationNotMatch", "ifMetagenerationMatch", "ifMetagenerationNotMatch",
  ]

  private static func date(_ request: EmulatorRequest, _ field: String) -> Timestamp? {
    request.fields[field].flatMap { Timestamp(httpDate: $0, now: nil) }
  }

  /// Whether a list of entity tags names the object's; weak tags compare by their opaque part.
  private static func names(_ list: String, _ etags: [String]) -> Bool {
    if list == "*" { return true }
    return list.split(separator: ",").contains { item in
      let tag = bare(String(item))
      return etags.contains { bare($0) == tag }
    }
  }

  private static func bare(_ tag: String) -> String {
    var text = Substring(tag).drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    if text.hasPrefix("W/") { text = text.dropFirst(2) }
    if text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") { text = text.dropFirst().dropLast() }
    return String(text)
  }
}
