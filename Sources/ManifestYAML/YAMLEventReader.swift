// libyaml's parser, event by event. Owns all its C memory; knows nothing of aliases' meaning or of manifests.

import CYAML
import MirrorPlan

/// Reads the one document of a text. Not thread-safe; the bytes must outlive it.
final class YAMLEventReader {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let event: UnsafeMutablePointer<yaml_event_t>
  private let bytes: UnsafeBufferPointer<UInt8>
  private var isAtEnd = false

  /// The bytes are UTF-8 without a byte order mark. Throws when libyaml has no memory.
  init(_ bytes: UnsafeBufferPointer<UInt8>) throws(YAMLFailure) {
    self.bytes = bytes
    parser = .allocate(capacity: 1)
    event = .allocate(capacity: 1)
    guard yaml_parser_initialize(parser) == 1 else {
      parser.deallocate()
      event.deallocate()
      throw YAMLFailure(SourceSpan(line: 0, column: 0), "no memory for the YAML parser")
    }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    event.deallocate()
  }

  /// The next event of the document; nil behind its last one, and then always. A second document is an error.
  func next() throws(YAMLFailure) -> YAMLEvent? {
    while !isAtEnd {
      guard yaml_parser_parse(parser, event) == 1 else { throw YAMLProblem.failure(of: parser, in: bytes) }
      defer { yaml_event_delete(event) }
      switch event.pointee.type {
      case YAML_STREAM_END_EVENT: isAtEnd = true
      case YAML_DOCUMENT_END_EVENT: try expectNothingMore()
      case YAML_STREAM_START_EVENT, YAML_DOCUMENT_START_EVENT, YAML_NO_EVENT: continue
      default: return try translate()
      }
    }
    return nil
  }

  private func expectNothingMore() throws(YAMLFailure) {
    yaml_event_delete(event)
    guard yaml_parser_parse(parser, event) == 1 else { throw YAMLProblem.failure(of: parser, in: bytes) }
    if event.pointee.type == YAML_DOCUMENT_START_EVENT {
      throw YAMLFailure(
        span(length: 3), "a second document begins here", hint: "a manifest is one document; remove `---`")
    }
    isAtEnd = true
  }

  private func translate() throws(YAMLFailure) -> YAMLEvent {
    let data = event.pointee.data
    switch event.pointee.type {
    case YAML_SCALAR_EVENT:
      let scalar = data.scalar
      let buffer = UnsafeBufferPointer(start: scalar.value, count: Int(scalar.length))
      let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
      return YAMLEvent(
        kind: .scalar(String(decoding: buffer, as: UTF8.self), isPlain: isPlain),
        span: scalarSpan(buffer, scalar.style), anchor: Self.text(scalar.anchor), foreignTag: Self.foreign(scalar.tag))
    case YAML_ALIAS_EVENT:
      return YAMLEvent(kind: .alias(Self.text(data.alias.anchor) ?? ""), span: span())
    case YAML_SEQUENCE_START_EVENT:
      let start = data.sequence_start
      return YAMLEvent(
        kind: .sequenceStart, span: span(length: 1), anchor: Self.text(start.anchor),
        foreignTag: Self.foreign(start.tag))
    case YAML_MAPPING_START_EVENT:
      let start = data.mapping_start
      return YAMLEvent(
        kind: .mappingStart, span: span(length: 1), anchor: Self.text(start.anchor), foreignTag: Self.foreign(start.tag)
      )
    case YAML_SEQUENCE_END_EVENT: return YAMLEvent(kind: .sequenceEnd, span: span())
    case YAML_MAPPING_END_EVENT: return YAMLEvent(kind: .mappingEnd, span: span())
    default: throw YAMLFailure(span(), "unexpected YAML")
    }
  }

  /// From the event's start to its end when both are on one line.
  private func span(length: Int? = nil) -> SourceSpan {
    let start = event.pointee.start_mark
    let end = event.pointee.end_mark
    let measured = start.line == end.line ? Int(end.column) - Int(start.column) : 1
    return SourceSpan(line: Int(start.line) + 1, column: Int(start.column) + 1, length: length ?? measured)
  }

  /// A scalar's characters can be placed when as many stand in the source as in the text, quotes apart.
  private func scalarSpan(_ text: UnsafeBufferPointer<UInt8>, _ style: yaml_scalar_style_t) -> SourceSpan {
    var span = span()
    guard event.pointee.start_mark.line == event.pointee.end_mark.line else { return span }
    let quote = style == YAML_PLAIN_SCALAR_STYLE ? 0 : 1
    let written = Int(event.pointee.end_mark.column) - Int(event.pointee.start_mark.column)
    var characters = 0
    for byte in text where byte & 0xC0 != 0x80 { characters += 1 }
    if written == characters + 2 * quote { span.inset = UInt8(quote) }
    return span
  }

  private static func text(_ pointer: UnsafePointer<yaml_char_t>?) -> String? {
    pointer.map { String(decodingCString: $0, as: UTF8.self) }
  }

  private static func foreign(_ pointer: UnsafePointer<yaml_char_t>?) -> String? {
    guard let tag = text(pointer) else { return nil }
    let own = ["!", YAML_STR_TAG, YAML_SEQ_TAG, YAML_MAP_TAG]
    return own.contains(tag) ? nil : tag
  }
}
