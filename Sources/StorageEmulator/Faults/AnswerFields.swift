// Faults in the header fields of a finished answer.

import TransferModel

enum AnswerFields {
  static func apply(_ plan: FaultPlan, to answer: inout EmulatorAnswer) {
    for action in plan.fields { apply(action, to: &answer.fields) }
    if plan.facts.contains(.generation(nil)) {
      for name in ["x-goog-generation", "x-goog-metageneration"] { answer.fields.remove(name) }
    }
    if let offset = plan.dateOffset { answer.fields.set("Date", Timestamp.now().advanced(by: offset).httpDate) }
  }

  private static func apply(_ action: FaultAction, to fields: inout HTTPFields) {
    switch action {
    case .etag(.none): fields.remove("ETag")
    case .etag(.literal(let tag)): fields.set("ETag", tag)
    case .etag(.strong):
      let tag = fields["ETag"] ?? "\"fixed\""
      fields.set("ETag", tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag)
    case .etag(.weak):
      let tag = fields["ETag"] ?? "\"fixed\""
      fields.set("ETag", tag.hasPrefix("W/") ? tag : "W/" + tag)
    case .lastModified(nil): fields.remove("Last-Modified")
    case .lastModified(let text?): fields.set("Last-Modified", text)
    case .setHeader(let name, let value): fields.set(name, value)
    case .addHeader(let name, let value): fields.append(name, value)
    case .removeHeader(let name): fields.remove(name)
    case .hugeHeader(let count): fields.append("X-Huge", String(repeating: "h", count: count))
    default: break
    }
  }
}
