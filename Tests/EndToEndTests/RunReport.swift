// The JSON report as a program of a user would read it; members that no test asks for are left out.

import Foundation

struct RunReport: Decodable {
  var schema: String
  var items: [Item]
  var errors: [Failure]
  var totals: Totals
  var exit: Exit

  struct Item: Decodable {
    var id: String
    var ref: String
    var servedBy: String?
    var to: String
    var action: String
    var outcome: String
    var reason: String
    var comparedBy: String
    var provenBy: String?
    var httpStatus: Int?
    var attempts: [Attempt]
    var bytes: Int
    var bytesResumed: Int
    var bytesWasted: Int
    var streams: Int?
    var generation: String?
    var etag: String?
    var hashes: [String: String]
    var failingSince: String?
    var warning: String?
    var error: Failure?
  }

  struct Attempt: Decodable {
    var ref: String?
    var status: Int?
    var error: String?
    var wait: Double
    var bytes: Int
    var message: String?
  }

  struct Failure: Decodable {
    /// Firebase's name.
    var code: String
    /// Our reason code.
    var name: String
    var message: String
    var hint: String?
    var httpStatus: Int?
    var body: String?
  }

  struct Totals: Decodable {
    var items: Int
    var downloaded: Int
    var updated: Int
    var adopted: Int
    var unchanged: Int
    var failed: Int
    var skipped: Int
    var interrupted: Int
    var bytes: Int
    var bytesResumed: Int
    var bytesWasted: Int
    var retries: Int
  }

  struct Exit: Decodable {
    var code: Int32
    var reasons: [Reason]
  }

  struct Reason: Decodable, Equatable {
    var code: Int32
    var reason: String
    var count: Int
  }

  init(_ bytes: [UInt8]) throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    self = try decoder.decode(RunReport.self, from: Data(bytes))
  }

  /// Whether the totals are what the items add up to.
  var addsUp: Bool {
    func count(_ outcome: String) -> Int { items.count { $0.outcome == outcome } }
    return totals.items == items.count && totals.downloaded == count("downloaded")
      && totals.updated == count("updated") && totals.unchanged == count("unchanged")
      && totals.adopted == count("adopted") && totals.failed == count("failed")
      && totals.skipped == count("skipped") && totals.interrupted == count("interrupted")
      && totals.bytes == items.reduce(0) { $0 + $1.bytes }
      && totals.bytesResumed == items.reduce(0) { $0 + $1.bytesResumed }
      && totals.bytesWasted == items.reduce(0) { $0 + $1.bytesWasted }
  }
}
