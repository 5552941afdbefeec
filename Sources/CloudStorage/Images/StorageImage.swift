// What image loading gives, and what can be chosen about it. Nothing here decodes an image: it is bytes in, bytes out.

public import Foundation
import TransferModel

/// An image's bytes, as they are stored (decoded only where the object is stored as gzip).
public struct StorageImage: Hashable, Sendable {
  /// Where the bytes were found.
  public enum Source: Hashable, Sendable {
    /// They were downloaded for this request, or for another that was under way.
    case network
    case memory
    case disk
  }

  public let data: Data
  /// The version of the object; nil when the server named none.
  public let generation: Int64?
  public let source: Source
  public let reference: StorageReference
}

/// How one image is loaded, in the words of SDWebImage where it has the same.
public struct StorageImageOptions: OptionSet, Hashable, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Asks the service for the object's version first, and downloads again what is cached of another one. Costs a small
  /// request each time.
  public static let refreshCached = StorageImageOptions(rawValue: 1)
  /// Asks for the version first and makes it a part of the key, so that every version is cached by itself.
  public static let generationInKey = StorageImageOptions(rawValue: 2)
  /// Tries also what is known not to be there.
  public static let retryFailed = StorageImageOptions(rawValue: 4)
}

/// What is told of the loading of one image.
public enum StorageImageEvent: Hashable, Sendable {
  /// To be shown until the image is there, and to stay if it cannot be had. Comes first, before anything is sent.
  case placeholder(Data)
  case image(StorageImage)
}

extension StorageReference {
  /// What the object is cached under: `gs://bucket/` and its name, percent-encoded but for the slashes.
  package var cacheKey: String {
    let segments = fullPath.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let name = segments.map { PercentEncoding.encode(Array($0), as: .firebase) }.joined(separator: "/")
    return "gs://\(PercentEncoding.encode(bucket, as: .firebase))/\(name)"
  }
}
