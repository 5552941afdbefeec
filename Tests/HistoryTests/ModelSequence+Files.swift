// What the user does to files and folders below the root, mirror's or not.

import Foundation
import Glibc
import TestSupport

extension ModelSequence {
  func changeFile() throws {
    let entries = try world.look().values.sorted { $0.path < $1.path }
    guard !entries.isEmpty else { return }
    let entry = dice.pick(entries)
    switch entry.kind {
    case .file(let bytes): try change(entry, bytes)
    case .folder: try change(folder: entry)
    case .link, .other:
      story.append("\(entry.path) is deleted")
      try ModelWorld.remove(place(entry))
    }
  }

  private func place(_ entry: TreeEntry) -> String { world.folder.path("out/" + entry.path) }

  private func change(_ entry: TreeEntry, _ bytes: [UInt8]) throws {
    let relative = "out/" + entry.path
    // The user may write to what cannot be written to, as the owner can.
    if dice.chance(90) { chmod(place(entry), mode_t(entry.mode) | 0o600) }
    switch dice.number(1...10) {
    case 1, 2:
      story.append("\(entry.path) is written over")
      try world.folder.write(dice.bytes().prefix(100), to: relative)
    case 3:
      story.append("\(entry.path) is cut to nothing")
      try world.folder.write([UInt8](), to: relative)
    case 4:
      story.append("\(entry.path) is replaced by a file of the same size")
      unlink(place(entry))
      try world.folder.write(bytes.map { ~$0 }, to: relative)
    case 5:
      story.append("\(entry.path) gets another mode")
      chmod(place(entry), dice.pick([0o600, 0o644, 0o755, 0o444]))
    case 6:
      story.append("\(entry.path) gets another time")
      utimensat(
        AT_FDCWD, place(entry), [timespec(tv_sec: 5, tv_nsec: 5), timespec(tv_sec: dice.number(1...9), tv_nsec: 7)], 0)
    case 7:
      let target = dice.pick(["../outside/file", "nowhere", world.folder.path("outside/folder")])
      story.append("\(entry.path) becomes a link to \(target)")
      unlink(place(entry))
      symlink(target, place(entry))
    case 8:
      story.append("\(entry.path) becomes a folder")
      unlink(place(entry))
      try world.folder.makeFolder(relative)
      if dice.chance(50) { try world.folder.write("in it", to: relative + "/user") }
    default:
      story.append("\(entry.path) is deleted")
      unlink(place(entry))
    }
  }

  private func change(folder entry: TreeEntry) throws {
    switch dice.number(1...6) {
    case 1:
      story.append("the folder \(entry.path) is deleted")
      try ModelWorld.remove(place(entry))
    case 2:
      story.append("the folder \(entry.path) becomes a file")
      try ModelWorld.remove(place(entry))
      try world.folder.write("was a folder", to: "out/" + entry.path)
    case 3:
      story.append("the folder \(entry.path) becomes a link out of the root")
      try ModelWorld.remove(place(entry))
      symlink(world.folder.path("outside/folder"), place(entry))
    case 4:
      story.append("the folder \(entry.path) is moved to moved\(story.count)")
      rename(place(entry), world.folder.path("out/moved\(story.count)"))
    case 5:
      story.append("an empty folder is made in \(entry.path)")
      try world.folder.makeFolder("out/" + entry.path + "/empty")
    default:
      guard !world.folder.exists("out/" + entry.path + "/more") else { return }
      story.append("the user writes \(entry.path)/more")
      try world.folder.write("more", to: "out/" + entry.path + "/more")
    }
  }
}
