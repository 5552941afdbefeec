// From a request to an answer: which API is spoken, whether it is allowed, and which of the answers below it is.

import TransferModel

/// The two APIs over one object store. Has no state of its own.
struct StorageService: Sendable {
  let store: ObjectStore
  let quirks: Quirks

  func answer(_ request: EmulatorRequest, _ route: Route, _ plan: FaultPlan) -> EmulatorAnswer {
    var answer: EmulatorAnswer
    if let (code, target) = plan.redirect, let redirect = FaultAnswer.redirect(code, target, request) {
      answer = redirect
    } else if let (expected, otherwise) = plan.authorization, !isAllowed(request, route, expected) {
      answer = FaultAnswer.denied(otherwise, route, isMedia: route.kind(of: request) == .media)
    } else if let (code, retryAfter, body) = plan.status {
      answer = FaultAnswer.status(code, retryAfter, body, route, isMedia: route.kind(of: request) == .media, plan)
    } else {
      answer = dispatch(request, route, plan)
    }
    AnswerFields.apply(plan, to: &answer)
    return answer
  }

  private func dispatch(_ request: EmulatorRequest, _ route: Route, _ plan: FaultPlan) -> EmulatorAnswer {
    switch route {
    case .control: return EmulatorAnswer(404, type: "text/plain", Array("no such control\n".utf8))
    case .greeting: return EmulatorAnswer(json: .pairs([("emulator", .string("storage"))]))
    case .unknown(let api): return .error(request.isRead ? 404 : 501, "Not Found", api)
    case .bucket(let api, let bucket):
      guard request.isRead else { return .error(501, "This emulator does not change buckets.", api) }
      guard store.hasBucket(bucket) else { return .error(404, "The specified bucket does not exist.", api) }
      return bucketAnswer(bucket)
    case .list(let api, let bucket):
      guard request.isRead else { return .error(501, "This emulator takes no uploads.", api) }
      return listAnswer(request, api, bucket, plan)
    case .object(let api, let bucket, let name, _):
      let isMedia = route.kind(of: request) == .media
      guard store.hasBucket(bucket) else {
        return .error(404, "The specified bucket does not exist.", api, isMedia: isMedia)
      }
      guard let stored = store.object(bucket, name) else { return missing(bucket, name, api, isMedia: isMedia) }
      let verb = request.fields["X-HTTP-Method-Override"] ?? request.method
      switch verb {
      case "GET", "HEAD":
        // Altered last: making the token reads the object again, as it really is.
        let current = altered(api == .firebase ? withToken(stored) : stored, plan)
        return isMedia ? mediaAnswer(request, api, current, plan) : metadataAnswer(request, api, current)
      case "PATCH", "PUT": return patchAnswer(request, api, altered(stored, plan))
      case "POST" where api == .firebase: return tokenAnswer(request, altered(stored, plan))
      default: return .error(501, "This emulator does not \(verb) objects.", api)
      }
    }
  }

  private func missing(_ bucket: String, _ name: ObjectName, _ api: StorageAPI, isMedia: Bool) -> EmulatorAnswer {
    switch api {
    case .firebase where quirks.isEmulator: EmulatorAnswer(404, type: "text/plain", Array("Not Found".utf8))
    case .firebase: .error(404, "Not Found.", api)
    case .google: .error(404, "No such object: \(bucket)/\(name.text)", api, isMedia: isMedia)
    case .xml: .error(404, "The specified key does not exist.", api)
    }
  }

  private func bucketAnswer(_ bucket: String) -> EmulatorAnswer {
    EmulatorAnswer(
      json: .pairs([
        ("kind", .string("storage#bucket")), ("id", .string(bucket)), ("name", .string(bucket)),
        ("location", .string("LOCAL")), ("storageClass", .string("STANDARD")), ("metageneration", .string("1")),
      ]))
  }

  /// The expected credential, the emulator owner's, or one of the object's download tokens.
  private func isAllowed(_ request: EmulatorRequest, _ route: Route, _ expected: String) -> Bool {
    let credential = request.fields["Authorization"]
    if credential == expected || credential == "Bearer owner" || credential == "Firebase owner" { return true }
    guard case .object(.firebase, let bucket, let name, _) = route, let token = request.target["token"] else {
      return false
    }
    return store.object(bucket, name)?.metadata.downloadTokens.contains(token) ?? false
  }

  /// Firebase's API makes a download token at the first read, which counts the metageneration up. Ours follows from the
  /// name, so that a link stays good when the server starts again.
  private func withToken(_ object: StoredObject) -> StoredObject {
    guard object.metadata.downloadTokens.isEmpty else { return object }
    let token = DownloadToken.first(for: object)
    return store.edit(object) { metadata in
      if metadata.downloadTokens.isEmpty { metadata.downloadTokens = [token] }
    } ?? object
  }
}
