// Short ways to write JSON answers down in code.

import TransferModel

extension JSONValue {
  /// An object, its members in this order.
  static func pairs(_ pairs: [(String, JSONValue)]) -> JSONValue {
    .object(pairs.map { Member($0.0, $0.1) })
  }

  static func integer(_ value: some BinaryInteger) -> JSONValue { .number(JSONNumber(Int64(value))) }

  /// Without blanks or line breaks.
  var compactBytes: [UInt8] {
    var writer = JSONWriter()
    writer.value(self)
    return writer.bytes
  }
}
