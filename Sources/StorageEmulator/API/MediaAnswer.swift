// The bytes of an object: transcoding, ranges, and the fields that describe them.

import TransferModel

extension StorageService {
  /// | stored as | client takes gzip | `no-transform` | body | Content-Encoding | Content-Length, ranges |
  /// | --- | --- | --- | --- | --- | --- |
  /// | plain | – | – | stored | – | yes |
  /// | gzip | yes | – | stored | gzip | yes |
  /// | gzip | no | yes | stored | gzip | yes |
  /// | gzip | no | no | decoded | – | no; a Range is ignored |
  ///
  /// `x-goog-hash` is of the stored bytes in every row.
  func mediaAnswer(
    _ request: EmulatorRequest, _ api: StorageAPI, _ object: StoredObject, _ plan: FaultPlan
  ) -> EmulatorAnswer {
    if let refusal = refusal(request, api, object, isMedia: true) { return refusal }
    var answer = EmulatorAnswer(200)
    describe(object, api, in: &answer.fields)
    let isGzip = object.metadata.contentEncoding?.lowercased() == "gzip"
    if isGzip, !takesGzip(request), !(object.metadata.cacheControl ?? "").contains("no-transform"),
      let decoded = object.content.bytes(at: 0, count: Int(object.size)).flatMap({ Gzip.unwrapped($0) })
    {
      answer.fields.append("Warning", "214 UploadServer gunzipped")
      answer.body = [BodyPiece(content: .memory(decoded), length: Int64(decoded.count))]
      answer.hidesLength = true
      return answer
    }
    var content = object.content
    if plan.coding == .gzip, let bytes = content.bytes(at: 0, count: Int(content.size)) {
      content = .memory(Gzip.wrapped(bytes))
      answer.fields.append("Content-Encoding", "gzip")
    } else if let coding = object.metadata.contentEncoding, coding != "identity" {
      answer.fields.append("Content-Encoding", coding)
    } else if quirks.isEmulator {
      answer.fields.append("Content-Encoding", "")
    }
    setRange(of: content, &answer, request, api, object, plan)
    if let swap = plan.swapAtByte { Self.swap(&answer.body, at: swap.position, otherVersion(of: object, swap.with)) }
    return answer
  }

  /// What the versions of an answer are called, and what its fields say of the stored bytes.
  private func describe(_ object: StoredObject, _ api: StorageAPI, in fields: inout HTTPFields) {
    let metadata = object.metadata
    fields.append("Content-Type", metadata.servedType(for: object.name.text))
    fields.append("ETag", entityTag(object, api))
    fields.append("Last-Modified", object.created.httpDate)
    fields.append("x-goog-generation", String(quirks.generation(object.generation)))
    let metageneration = quirks.isEmulator ? "x-goog-metadatageneration" : "x-goog-metageneration"
    fields.append(metageneration, String(object.metageneration))
    if !quirks.isEmulator {
      fields.append("x-goog-stored-content-encoding", metadata.contentEncoding ?? "identity")
      fields.append("x-goog-stored-content-length", String(object.size))
      fields.append("x-goog-storage-class", "STANDARD")
    }
    let digests = object.digests()
    let hashes = [
      digests.crc32c.map { "crc32c=" + Base64.encode($0.bytes) },
      ObjectResource.md5(digests, object).map { "md5=" + $0 },
    ].compactMap { $0 }
    if !hashes.isEmpty { fields.append("x-goog-hash", hashes.joined(separator: ",")) }
    if let disposition = metadata.contentDisposition { fields.append("Content-Disposition", disposition) }
    if let language = metadata.contentLanguage { fields.append("Content-Language", language) }
    if let control = metadata.cacheControl ?? (quirks.isEmulator ? "" : nil) { fields.append("Cache-Control", control) }
    guard api == .xml else { return }
    for (name, value) in metadata.custom.sorted(by: { $0.key < $1.key }) {
      fields.append("x-goog-meta-\(PercentEncoding.encode(name))", PercentEncoding.encode(value))
    }
  }

  private func setRange(
    of content: ObjectContent, _ answer: inout EmulatorAnswer, _ request: EmulatorRequest, _ api: StorageAPI,
    _ object: StoredObject, _ plan: FaultPlan
  ) {
    let size = content.size
    let condition = request.fields["If-Range"]
    let applies = condition == nil || condition == entityTag(object, api) || condition == answer.fields["Last-Modified"]
    var decision = RangeDecision(field: applies ? request.fields["Range"] : nil, size: size)
    if quirks.isEmulator, decision == .notSatisfiable { decision = .whole }
    decision = altered(decision, plan.range, size, hasRange: request.fields["Range"] != nil)
    answer.fields.append("Accept-Ranges", "bytes")
    switch decision {
    case .whole: answer.body = [BodyPiece(content: content, length: size)]
    case .part(let first, let last):
      answer.status = 206
      answer.body = [BodyPiece(content: content, offset: first, length: max(0, last - first + 1))]
      if plan.range != .noContentRange { answer.fields.append("Content-Range", "bytes \(first)-\(last)/\(size)") }
    case .notSatisfiable:
      answer = .error(416, "The requested range cannot be satisfied.", api, isMedia: true)
      if plan.range != .notSatisfiable(withTotal: false) { answer.fields.append("Content-Range", "bytes */\(size)") }
    }
  }

  private func altered(
    _ decision: RangeDecision, _ fault: FaultAction.RangeFault?, _ size: Int64, hasRange: Bool
  ) -> RangeDecision {
    switch (fault, decision) {
    case (.ignore, _): .whole
    case (.shift(let count), .part(let first, let last)):
      .part(first: max(0, min(first + count, size - 1)), last: max(0, min(last + count, size - 1)))
    case (.short(let count), .part(let first, let last)): .part(first: first, last: max(first, last - count))
    case (.always206, .whole) where size > 0: .part(first: 0, last: size - 1)
    case (.notSatisfiable, _) where hasRange: .notSatisfiable
    default: decision
    }
  }

  private func takesGzip(_ request: EmulatorRequest) -> Bool {
    request.fields.values("Accept-Encoding").joined(separator: ",").lowercased().split(separator: ",").contains {
      item in
      let parts = item.split(separator: ";").map { $0.drop { $0 == " " } }
      return parts.first?.split(separator: " ").first == "gzip" && !parts.dropFirst().contains("q=0")
    }
  }

  /// From a position in the object on, bytes of the other version; past its end, nothing.
  private static func swap(_ body: inout [BodyPiece], at position: Int64, _ other: StoredObject) {
    body = body.flatMap { piece -> [BodyPiece] in
      let kept = max(0, min(piece.length, position - piece.offset))
      let start = piece.offset + kept
      let rest = BodyPiece(
        content: other.content, offset: start, length: max(0, min(piece.length - kept, other.size - start)))
      return [BodyPiece(content: piece.content, offset: piece.offset, length: kept), rest].filter { $0.length > 0 }
    }
  }
}
