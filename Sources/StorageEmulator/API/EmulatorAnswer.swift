// An answer before it goes out: status, fields, and where the body comes from.

import TransferModel

/// A stretch of some content.
struct BodyPiece {
  var content: ObjectContent
  var offset: Int64 = 0
  var length: Int64
}

struct EmulatorAnswer {
  var status: Int
  var fields = HTTPFields()
  var body: [BodyPiece] = []
  /// Whether the length is not told in advance: chunked coding (RFC 9112 section 7.1).
  var hidesLength = false

  init(_ status: Int, type: String? = nil, _ body: [UInt8] = []) {
    self.status = status
    if let type { fields.append("Content-Type", type) }
    if !body.isEmpty { self.body = [BodyPiece(content: .memory(body), length: Int64(body.count))] }
  }

  init(_ status: Int = 200, json: JSONValue) {
    self.init(status, type: "application/json; charset=UTF-8", json.compactBytes)
  }

  var length: Int64 { body.reduce(0) { $0 + $1.length } }
}

extension HTTPFields {
  mutating func remove(_ name: String) {
    let lower = name.lowercased()
    self = HTTPFields(all.filter { $0.name.lowercased() != lower })
  }

  mutating func set(_ name: String, _ value: String) {
    remove(name)
    append(name, value)
  }

  func contains(_ name: String) -> Bool { all.contains { $0.name.lowercased() == name.lowercased() } }
}
