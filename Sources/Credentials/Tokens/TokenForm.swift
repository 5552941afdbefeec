// The two bodies that token services take, and the kinds of request round them.

import TransferModel

/// A form (`application/x-www-form-urlencoded`), pairs in the order in which they were added.
struct TokenForm {
  private(set) var text = ""

  init(_ pairs: KeyValuePairs<String, String> = [:]) {
    for (name, value) in pairs { add(name, value) }
  }

  mutating func add(_ name: String, _ value: String?) {
    guard let value else { return }
    text += (text.isEmpty ? "" : "&") + name + "=" + PercentEncoding.encode(value)
  }
}

extension HTTPRequest {
  /// A POST of a form.
  static func form(_ url: HTTPURL, _ form: TokenForm, fields: HTTPFields = HTTPFields()) -> HTTPRequest {
    post(url, "application/x-www-form-urlencoded", Array(form.text.utf8), fields)
  }

  /// A POST of a JSON document.
  static func json(_ url: HTTPURL, _ document: JSONValue, fields: HTTPFields = HTTPFields()) -> HTTPRequest {
    var writer = JSONWriter()
    writer.value(document)
    return post(url, "application/json", writer.bytes, fields)
  }

  private static func post(_ url: HTTPURL, _ type: String, _ body: [UInt8], _ fields: HTTPFields) -> HTTPRequest {
    var fields = fields
    fields.append("Content-Type", type)
    fields.append("Accept", "application/json")
    return HTTPRequest(.post, url, fields: fields, body: body)
  }
}

extension HTTPFields {
  /// HTTP Basic (RFC 7617), in UTF-8.
  static func basic(_ user: String, _ password: String) -> HTTPFields {
    HTTPFields([Field("Authorization", "Basic " + Base64.encode(Array("\(user):\(password)".utf8)))])
  }
}
