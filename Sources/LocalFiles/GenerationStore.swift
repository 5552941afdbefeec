// The generations of a root that is published as a whole: `assets -> .assets.mirror/0007`. Here it is only known which folders
// there are and how one becomes another in one step; when a generation is begun and published is the engine's.

import Glibc
package import TransferModel

/// The folder beside a root that holds its generations, and what they share.
///
/// | name | what it is |
/// | --- | --- |
/// | `assets` | a link to the generation that readers see |
/// | `.assets.mirror/0007` | a generation; complete, and never written to again |
/// | `.assets.mirror/next` | the one that is being built, of this run or of one that did not come to its end |
/// | `.assets.mirror/.mirror` | lock and state, of all generations together |
/// | `.assets.mirror/cloning`, `…/flip`, `…/retired-…` | for a moment; left over after a crash, and then set right |
///
/// Sendable: it holds nothing but open directories. Every change is meant for the holder of the lock.
package final class GenerationStore: Sendable {
  /// What stands at the root's own name.
  package enum Standing: Hashable, Sendable {
    case nothing
    /// A link to this generation, whether or not that is there.
    case generation(Int)
    /// A folder: a root that was not published by generations so far.
    case folder
    /// A link that mirror did not make, or something that is no folder.
    case foreign
  }

  /// Where a root's store lies. A function of the text alone.
  package struct Layout: Hashable, Sendable {
    /// The folder that the root lies in.
    package let parent: String
    /// The root's name in it.
    package let name: String

    package var folderName: String { ".\(name).mirror" }
    package var folder: String { parent == "/" ? "/\(folderName)" : "\(parent)/\(folderName)" }
    package var root: String { parent == "/" ? "/\(name)" : "\(parent)/\(name)" }

    /// - Parameter root: absolute, without a slash at its end. nil for what has no name of its own: `/`, `..`.
    package init?(root: String) {
      guard let slash = root.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
      let name = String(root[root.utf8.index(after: slash)...])
      guard !name.isEmpty, name != ".", name != "..", name.utf8.count <= 240 else { return nil }
      self.name = name
      parent = slash == root.utf8.startIndex ? "/" : String(root[..<slash])
    }

    /// The number of the generation that a link names; nil when it is none of ours.
    func generation(ofLink target: String) -> Int? {
      let prefix = folderName + "/"
      guard target.utf8.starts(with: prefix.utf8) else { return nil }
      return GenerationStore.number(of: String(target.dropFirst(prefix.count)))
    }
  }

  static let next = "next"
  static let cloning = "cloning"
  static let flip = "flip"
  static let retired = "retired-"

  package let layout: Layout
  /// The store's own folder, which has `.mirror` in it.
  package let home: RootDirectory
  let parent: RootDirectory

  /// Opens the store, or makes it with all folders above.
  package init(_ layout: Layout, creating: Bool) throws(TransferFailure) {
    self.layout = layout
    parent = try RootDirectory(opening: layout.parent, creating: creating)
    home = try RootDirectory(opening: layout.folder, creating: creating)
  }

  var store: Int32 { home.descriptor.rawValue }

  /// What stands at a root's name now; looks at the disk and needs no store.
  package static func standing(_ layout: Layout) -> Standing {
    guard let parent = try? RootDirectory(opening: layout.parent) else { return .nothing }
    // Held, because a descriptor closes with its owner.
    defer { withExtendedLifetime(parent) {} }
    let directory = parent.descriptor.rawValue
    guard let status = try? SystemCall.status(at: directory, layout.name) else { return .nothing }
    switch status.kind {
    case .directory: return .folder
    case .symlink:
      let target = SystemCall.linkTarget(at: directory, layout.name)
      return target.flatMap { layout.generation(ofLink: $0) }.map { .generation($0) } ?? .foreign
    case .file, .other: return .foreign
    }
  }

  /// What readers see now, open; nil when there is nothing.
  package func current() throws(TransferFailure) -> RootDirectory? {
    switch Self.standing(layout) {
    case .nothing, .foreign: return nil
    case .folder: return try RootDirectory(opening: layout.root)
    case .generation(let number): return exists(Self.name(of: number)) ? try open(Self.name(of: number)) : nil
    }
  }

  /// The one that was begun and is not published yet, open; nil when there is none.
  package func unfinished() throws(TransferFailure) -> RootDirectory? {
    exists(Self.next) ? try open(Self.next) : nil
  }

  func open(_ name: String) throws(TransferFailure) -> RootDirectory {
    try RootDirectory(opening: "\(layout.folder)/\(name)")
  }

  func exists(_ name: String) -> Bool { (try? SystemCall.status(at: store, name))?.kind == .directory }

  /// The numbers of the generations that are there, rising.
  package func generations() throws(TransferFailure) -> [Int] {
    try names().compactMap { Self.number(of: $0) }.sorted()
  }

  func names() throws(TransferFailure) -> [String] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    defer { buffer.deallocate() }
    do throws(SystemError) {
      let readable = try SystemCall.open(at: store, ".", O_RDONLY | O_DIRECTORY)
      let listing = try DirectoryListing(reading: readable.rawValue, buffer: buffer)
      return listing.items.compactMap { String(validating: listing.name(of: $0), as: UTF8.self) }
    } catch {
      throw error.at(layout.folder).failure
    }
  }

  /// `0007`; more digits where they are needed.
  package static func name(of generation: Int) -> String {
    let digits = String(generation)
    return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
  }

  static func number(of name: String) -> Int? {
    guard name.utf8.count >= 4, name.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(name)
  }
}
