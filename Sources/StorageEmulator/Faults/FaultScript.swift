// The text form of faults and made-up objects; its grammar is here, its parser in `FaultScript+Parsing.swift`.

import TransferModel

/// A fault script: rules, and objects that no folder can hold.
///
/// A statement begins at the start of a line; the indented lines below an `on` are its actions, one or more each,
/// separated by `;`. Actions may also follow `=>` on the same line. `#` starts a comment. Words with blanks, `;` or `#` go
/// in double quotes, where `\n`, `\t`, `\r`, `\"` and `\\` are understood.
///
/// ```
/// on photos/** request 1-2 => status 503 retry-after 1
/// on GET media photos/big.bin
///   etag none
///   cut 1000
/// generate huge count 2000000 prefix obj/ per-folder 1000
/// put odd "a//b" text "hello"
/// ```
package struct FaultScript: Sendable {
  package var rules: [FaultRule] = []
  var objects: [ObjectStatement] = []

  /// What a script puts into the store.
  enum ObjectStatement: Sendable {
    case bucket(String)
    case generate(String, GeneratedNames)
    case text(String, String, String, ObjectMetadata, generation: Int64?)
    case pattern(String, String, size: Int64, seed: UInt64, ObjectMetadata, generation: Int64?)
  }

  /// What is wrong with a script.
  package struct Violation: Error, CustomStringConvertible, Sendable {
    /// From 1.
    package var line: Int
    package var problem: String
    package var description: String { "line \(line): \(problem)" }
  }

  func putObjects(into store: ObjectStore) {
    for statement in objects {
      switch statement {
      case .bucket(let bucket): store.makeBucket(bucket)
      case .generate(let bucket, let names): store.generate(bucket, names)
      case .text(let bucket, let name, let text, let metadata, let generation):
        store.put(bucket, name, Array(text.utf8), metadata, generation: generation)
      case .pattern(let bucket, let name, let size, let seed, let metadata, let generation):
        store.put(bucket, name, patternOf: size, seed: seed, metadata, generation: generation)
      }
    }
  }

  /// The grammar for `--help`.
  package static let grammar = """
    on [METHOD] [list|media|metadata|bucket] [firebase|google|xml] [BUCKET/OBJECT-GLOB]
       [target PREFIX] [with FIELD] [host NAME] [connection N] [request N [of-all]]
       N is 3, 2-4, every 3 or after 5; requests are counted for each path unless of-all is said
    generate BUCKET count N [prefix P] [suffix S] [per-folder N] [size SIZE]
    put BUCKET NAME [text T | size SIZE [seed N]] [type T] [encoding E] [cache-control C] [generation N]
    bucket NAME

    Actions of a rule:
      status N [retry-after SECONDS | retry-after-date +DURATION]
               [body html|json-firebase|json-gcs|xml|empty|text T|bytes N]
      redirect N URL|loop|chain N         {target} and {port} in URL are put in
      auth require VALUE [else N]         401 without exactly this Authorization
      etag strong|weak|none|VALUE         last-modified none|VALUE      generation N|none
      hash crc32c|md5 wrong|none          hash none
      header NAME: VALUE                  add-header NAME: VALUE        remove-header NAME
      date-offset +2h                     huge-header N
      range ignore|shift N|short N|no-content-range|always-206|416 [no-total]
      content-encoding gzip|double-gzip   head-differs ACTION
      swap [with NAME]                    swap at byte N [with NAME]
      list empty|repeat-token|duplicate|empty-page [N]|drop N|error N on page N
      delay DURATION                      stall N [for DURATION]        throttle SIZE/s
      content-length N|wrong +N|wrong -N|none
      chunked    close-delimited    trailer    informational N    garbage
      cut N      reset N            empty-reply                   keep-alive N [silent]
    """
}
