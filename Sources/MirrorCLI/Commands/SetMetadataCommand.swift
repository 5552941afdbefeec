// `mirror set-metadata`: changes what is said about one object.

import TransferModel

struct SetMetadataCommand {
  private let options: SetMetadataOptions

  init(_ options: SetMetadataOptions) { self.options = options }

  func run() async throws -> Int32 {
    guard let body = Self.body(setting: options.values, unsetting: options.unset) else {
      throw UsageError(
        message: "nothing is to be changed", hint: "write KEY=VALUE or --unset KEY", command: "mirror set-metadata")
    }
    return try await QuestionCommand.run(options, changesObjects: true) { question in
      try Output.results.write(MetadataText(try await question.change(body), of: question.address).lines)
    }
  }

  /// The JSON of the changes, the last word on a key counting; nil when there are none.
  static func body(setting values: [MetadataValue], unsetting keys: [MetadataKey]) -> [UInt8]? {
    var fields: [ObjectName: String?] = [:]
    var custom: [ObjectName: String?] = [:]
    for (key, value) in values.map({ ($0.key, Optional($0.value)) }) + keys.map({ ($0, nil) }) {
      switch key {
      case .field(let name): fields[ObjectName(name)] = .some(value)
      case .custom(let name): custom[ObjectName(name)] = .some(value)
      }
    }
    guard !fields.isEmpty || !custom.isEmpty else { return nil }
    var writer = JSONWriter()
    writer.beginObject()
    writer.changes(fields)
    if !custom.isEmpty {
      writer.key("metadata")
      writer.beginObject()
      writer.changes(custom)
      writer.endObject()
    }
    writer.endObject()
    return writer.bytes
  }
}

extension JSONWriter {
  /// One member for each name, in their order; nil is null, which takes a value away.
  fileprivate mutating func changes(_ values: [ObjectName: String?]) {
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      key(named: name.text)
      if let value { string(value) } else { null() }
    }
  }
}
