// One page of a listing, in Firebase's and in Google's form.

import TransferModel

extension StorageService {
  func listAnswer(
    _ request: EmulatorRequest, _ api: StorageAPI, _ bucket: String, _ plan: FaultPlan
  ) -> EmulatorAnswer {
    var query: ListQuery
    switch parse(request, api) {
    case .success(let parsed): query = parsed
    case .failure(let problem): return .error(400, problem.message, api)
    }
    let number = query.token?.page ?? 1
    if case .error(let status, page: number) = plan.list { return .error(status, "Scripted error", api) }
    guard let columns = store.columns(bucket, prefix: query.prefix, fresh: query.token == nil) else {
      return .error(404, "The specified bucket does not exist.", api)
    }
    if case .emptyPage(number) = plan.list {
      let start = query.token?.start ?? ObjectName("")
      return answer(ListPage(next: PageToken(page: number + 1, start: start)), request, api, bucket, plan)
    }
    var page = plan.list == .empty ? ListPage() : Listing.page(of: columns, query)
    if quirks.isEmulator, query.token != nil {
      query.token = nil
      query.maxResults = .max
      page.prefixes = Listing.page(of: columns, query).prefixes
    }
    switch plan.list {
    case .repeatToken: page.next = PageToken(parsing: request.target["pageToken"] ?? "") ?? page.next
    case .duplicate: page.items = page.items.flatMap { [$0, $0] }
    case .drop(let count): page.items.removeLast(min(count, page.items.count))
    default: break
    }
    return answer(page, request, api, bucket, plan)
  }

  private struct Problem: Error {
    var message: String
  }

  private func parse(_ request: EmulatorRequest, _ api: StorageAPI) -> Result<ListQuery, Problem> {
    let target = request.target
    var query = ListQuery()
    query.prefix = target["prefix"] ?? ""
    query.delimiter = target["delimiter"] ?? ""
    if let text = target["maxResults"] {
      guard let number = Int(text), number >= 0 else { return .failure(Problem(message: "Invalid maxResults")) }
      query.maxResults = number == 0 ? 1000 : min(number, 1000)
    }
    if let text = target["pageToken"], !text.isEmpty {
      guard let token = PageToken(parsing: text) else { return .failure(Problem(message: "Invalid page token")) }
      query.token = token
    }
    if api == .firebase {
      query.leavesOutEmptyParts = true
      let prefix = Array(query.prefix.utf8)
      if !prefix.isEmpty, prefix.last != UInt8(ascii: "/") || prefix.dropLast().last == UInt8(ascii: "/") {
        return .failure(
          Problem(message: "The prefix parameter is required to be empty or ends with a single / character."))
      }
      return .success(query)
    }
    query.startOffset = target["startOffset"] ?? ""
    query.endOffset = target["endOffset"] ?? ""
    query.includeTrailingDelimiter = target.flag("includeTrailingDelimiter")
    if let pattern = target["matchGlob"], !pattern.isEmpty {
      guard let glob = MatchGlob(pattern), query.delimiter.isEmpty || query.delimiter == "/" else {
        return .failure(Problem(message: "Invalid matchGlob"))
      }
      query.glob = glob
    }
    return .success(query)
  }

  private func answer(
    _ page: ListPage, _ request: EmulatorRequest, _ api: StorageAPI, _ bucket: String, _ plan: FaultPlan
  ) -> EmulatorAnswer {
    let prefixes = JSONValue.array(page.prefixes.map { .string($0) })
    if api == .firebase {
      let items = page.items.map { JSONValue.pairs([("name", .string($0.text)), ("bucket", .string(bucket))]) }
      var members: [(String, JSONValue)] = [("prefixes", prefixes), ("items", .array(items))]
      if let next = page.next { members.append(("nextPageToken", .string(next.text))) }
      return EmulatorAnswer(json: .pairs(members))
    }
    guard let mask = request.target["fields"].map({ FieldsMask($0) }) ?? FieldsMask() else {
      return .error(400, "Invalid field selection", api)
    }
    var members: [(String, JSONValue)] = [("kind", .string("storage#objects"))]
    if let next = page.next { members.append(("nextPageToken", .string(next.text))) }
    if !page.prefixes.isEmpty { members.append(("prefixes", prefixes)) }
    if !page.items.isEmpty, let itemMask = mask["items"] {
      let host = request.fields["Host"] ?? "localhost"
      let items = page.items.compactMap { store.object(bucket, $0) }.map {
        ObjectResource.google(altered($0, plan), host: host, mask: itemMask)
      }
      members.append(("items", .array(items)))
    }
    return EmulatorAnswer(json: mask.applied(to: .pairs(members)))
  }
}
