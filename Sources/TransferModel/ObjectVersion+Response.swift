extension ObjectVersion {
  package init(_ head: HTTPResponseHead) throws(TransferFailure) { self.init() }
  package func isTranscoded(in head: HTTPResponseHead) -> Bool { false }
}
