// What is to be downloaded and what it has to be. A value.

package import TransferModel

/// One object to one sink.
package struct DownloadSpec: Sendable {
  /// Digests, size and generation that the user pinned: the bytes have them or they are not taken.
  package struct Pins: Hashable, Sendable {
    package var digests: DigestSet
    package var size: Int64?
    package var generation: Int64?

    package init(digests: DigestSet = DigestSet(), size: Int64? = nil, generation: Int64? = nil) {
      self.digests = digests
      self.size = size
      self.generation = generation
    }
  }

  /// Mirrors of the same bytes, in the order in which they are asked; never empty.
  package var endpoints: [any ObjectEndpoint]
  package var pins: Pins
  /// What a listing or a metadata answer said a moment ago; its generation is asked for, so that all bytes are of one
  /// version. When that is gone, the live one is taken instead.
  package var listed: ObjectVersion?
  /// The version that is here already: a 304 ends the download as `unchanged`.
  package var known: Validator?
  /// Digests of the file that stands at the destination: when the same bytes come, it is left as it is.
  package var standing: DigestSet?
  /// The version of the part that an earlier run left; nil = there is none worth continuing.
  package var part: ObjectVersion?
  /// Whether something is written down of a part of this destination, of whatever version.
  package var hasPartRecord = false
  /// Whether several streams may fetch the object side by side, as far as the terms let them.
  package var mayDivide = true
  /// What holds for many downloads.
  package var sharedTerms: Shared<DownloadTerms>
  package let owner: any DownloadOwner

  package init(
    endpoints: [any ObjectEndpoint], owner: any DownloadOwner,
    terms: Shared<DownloadTerms> = Shared(DownloadTerms()), pins: Pins = Pins(), listed: ObjectVersion? = nil,
    known: Validator? = nil, standing: DigestSet? = nil, part: ObjectVersion? = nil
  ) {
    self.endpoints = endpoints
    self.owner = owner
    sharedTerms = terms
    self.pins = pins
    self.listed = listed
    self.known = known
    self.standing = standing
    self.part = part
  }

  /// Setting them makes them this download's own.
  package var terms: DownloadTerms {
    get { sharedTerms.value }
    set { sharedTerms = Shared(newValue) }
  }

  /// When several streams may fetch the object; nil = never.
  var ranges: RangePolicy? { mayDivide ? terms.ranges : nil }

  /// From this many bytes on, a part is worth continuing in a later run.
  package static let resumableBytes: Int64 = 1 << 20
}
