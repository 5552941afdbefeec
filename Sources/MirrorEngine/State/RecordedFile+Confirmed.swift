// What is recorded after a server said "not modified".

package import MirrorPlan
package import TransferModel

extension RecordedFile {
  /// The record after a 304 or an equal listing: still the same bytes, seen again at `time`.
  ///
  /// What the answer left out is kept: a 304 need not repeat the ETag (RFC 9110, 15.4.5), and a record that lost its
  /// validator that way would be downloaded again at the next run. Digests are only added to, never taken away.
  package func confirmed(by answer: ObjectVersion, at time: Timestamp) -> RecordedFile {
    var result = self
    result.proven = time
    result.version.generation = answer.generation ?? version.generation
    result.version.etag = answer.etag ?? version.etag
    result.version.lastModified = answer.lastModified ?? version.lastModified
    result.version.size = version.size ?? answer.size
    for algorithm in DigestAlgorithm.allCases where version.digests[algorithm] == nil {
      result.version.digests[algorithm] = answer.digests[algorithm]
    }
    return result
  }
}
