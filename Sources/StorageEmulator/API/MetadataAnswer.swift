// Reading and changing an object's metadata, and its download tokens.

import TransferModel

extension StorageService {
  func metadataAnswer(_ request: EmulatorRequest, _ api: StorageAPI, _ object: StoredObject) -> EmulatorAnswer {
    if let refusal = refusal(request, api, object, isMedia: false) { return refusal }
    guard api != .firebase else { return EmulatorAnswer(json: ObjectResource.firebase(object, quirks: quirks)) }
    guard let mask = request.target["fields"].map({ FieldsMask($0) }) ?? FieldsMask() else {
      return .error(400, "Invalid field selection", api)
    }
    var answer = EmulatorAnswer(
      json: ObjectResource.google(object, host: request.fields["Host"] ?? "localhost", mask: mask))
    answer.fields.append("ETag", entityTag(object, api))
    return answer
  }

  func patchAnswer(_ request: EmulatorRequest, _ api: StorageAPI, _ object: StoredObject) -> EmulatorAnswer {
    guard api != .xml else { return .error(501, "This emulator takes no uploads.", api) }
    if let refusal = refusal(request, api, object, isMedia: false) { return refusal }
    guard let json = try? JSONValue(parsing: request.body) else { return .error(400, "Parse Error", api) }
    var trial = object.metadata
    guard trial.merge(json) else { return .error(400, "Invalid value in the metadata", api) }
    guard let changed = store.edit(object, { _ = $0.merge(json) }) else { return .error(404, "Not Found.", api) }
    return api == .firebase
      ? EmulatorAnswer(json: ObjectResource.firebase(changed, quirks: quirks))
      : EmulatorAnswer(json: ObjectResource.google(changed, host: request.fields["Host"] ?? "localhost"))
  }

  /// `?create_token=true` and `?delete_token=T`, for the owner only. Taking away the last token makes a new one.
  func tokenAnswer(_ request: EmulatorRequest, _ object: StoredObject) -> EmulatorAnswer {
    let credential = request.fields["Authorization"]
    guard credential == "Bearer owner" || credential == "Firebase owner" else {
      return .error(403, "Permission denied.", .firebase)
    }
    var tokens = object.metadata.downloadTokens
    if request.target["create_token"] == "true" {
      tokens.append(DownloadToken.make(for: object, number: Int(object.metageneration)))
    } else if let old = request.target["delete_token"] {
      tokens.removeAll { $0 == old }
      if tokens.isEmpty { tokens = [DownloadToken.make(for: object, number: Int(object.metageneration))] }
    } else {
      return .error(400, "Either create_token=true or delete_token is needed.", .firebase)
    }
    guard let changed = store.edit(object, { $0.downloadTokens = tokens }) else {
      return .error(404, "Not Found.", .firebase)
    }
    return EmulatorAnswer(json: ObjectResource.firebase(changed, quirks: quirks))
  }

  /// What conditions make of the request; nil = go on.
  func refusal(
    _ request: EmulatorRequest, _ api: StorageAPI, _ object: StoredObject, isMedia: Bool
  ) -> EmulatorAnswer? {
    guard !quirks.isEmulator else { return nil }
    let tags = [StorageAPI.google, .xml].map { entityTag(object, $0) }
    switch Preconditions.evaluate(request, object, etags: tags) {
    case .proceed: return nil
    case .notModified:
      var answer = EmulatorAnswer(304)
      answer.fields.append("ETag", entityTag(object, api))
      return answer
    case .failed: return .error(412, "At least one of the pre-conditions you specified did not hold.", api)
    case .noSuchVersion:
      return .error(404, "No such object: \(object.bucket)/\(object.name.text)", api, isMedia: isMedia)
    case .invalid(let parameter): return .error(400, "Invalid long value for parameter \(parameter)", api)
    }
  }

  /// The tag with its quotes: a hash in plain requests, opaque in the JSON APIs.
  func entityTag(_ object: StoredObject, _ api: StorageAPI) -> String {
    if quirks.isEmulator { return object.etag }
    if api == .xml, object.metadata.componentCount == nil, let md5 = object.digests().md5 { return "\"\(md5.hex)\"" }
    return "\"\(object.etag)\""
  }
}

/// Firebase's download tokens look like UUIDs; ours are made from the object's name and a number.
enum DownloadToken {
  static func first(for object: StoredObject) -> String { make(for: object, number: 0) }

  static func make(for object: StoredObject, number: Int) -> String {
    var digits = ""
    for part in 0..<2 {
      // FNV-1a; nothing here is a secret.
      let hash = "\(part)/\(number)/\(object.bucket)/\(object.name.text)".utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
        ($0 ^ UInt64($1)) &* 0x100_0000_01B3
      }
      let text = String(hash, radix: 16)
      digits += String(repeating: "0", count: 16 - text.count) + text
    }
    let cuts = [8, 4, 4, 4, 12]
    var rest = Substring(digits)
    return cuts.map { cut in
      defer { rest = rest.dropFirst(cut) }
      return String(rest.prefix(cut))
    }.joined(separator: "-")
  }
}
