// The names in one directory, in the order in which object names sort. Walking a tree of them is `DirectoryWalk`.

/// What getdents64(2) says of a directory, less `.` and `..`, sorted: by bytes, a directory as if its name ended in
/// `/`, so that `a.txt` comes before what is in `a` ('.' is 0x2E, '/' is 0x2F), as it does in a listing of the bucket.
///
/// All names lie in one array, so a directory with a million of them is two allocations.
struct DirectoryListing {
  struct Item {
    fileprivate(set) var start: Int
    fileprivate(set) var length: Int
    /// nil when the file system does not say.
    var kind: FileKind?
    fileprivate var isDirectory: Bool { kind == .directory }
  }

  private var names: [UInt8] = []
  private(set) var items: [Item] = []

  /// Reads the directory to its end. `descriptor` must be open for reading.
  init(reading descriptor: Int32, buffer: UnsafeMutableRawBufferPointer) throws(SystemError) {
    try Self.read(descriptor, buffer) { name, kind in
      items.append(Item(start: names.count, length: name.count, kind: kind))
      names.append(contentsOf: name)
      names.append(0)
      return true
    }
    resolveUnknownKinds(in: descriptor)
    sort()
  }

  /// Calls `body` with each name but `.` and `..`, in no order, until it answers false; keeps nothing.
  static func read(
    _ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer,
    _ body: (UnsafeRawBufferPointer, FileKind?) -> Bool
  ) throws(SystemError) {
    while true {
      let count = try SystemCall.list(descriptor, into: buffer)
      guard count > 0, each(of: UnsafeRawBufferPointer(rebasing: buffer[..<count]), body) else { return }
    }
  }

  /// struct linux_dirent64: u64 inode, s64 offset, u16 record length, u8 type, name with NUL.
  private static func each(
    of records: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer, FileKind?) -> Bool
  ) -> Bool {
    let header = 19
    var at = 0
    while at + header < records.count {
      let length = Int(records.loadUnaligned(fromByteOffset: at + 16, as: UInt16.self))
      guard length > header, at + length <= records.count else { return true }
      let padded = UnsafeRawBufferPointer(rebasing: records[(at + header)..<(at + length)])
      let name = UnsafeRawBufferPointer(rebasing: padded[..<(padded.firstIndex(of: 0) ?? padded.count)])
      let isDots = name.first == UInt8(ascii: ".") && (name.count == 1 || (name.count == 2 && name.last == name.first))
      if !name.isEmpty, !isDots, !body(name, Self.kind(records[at + 18])) { return false }
      at += length
    }
    return true
  }

  /// The DT_ numbers of readdir(3).
  private static func kind(_ type: UInt8) -> FileKind? {
    switch type {
    case 0: nil
    case 4: .directory
    case 8: .file
    case 10: .symlink
    default: .other
    }
  }

  private mutating func resolveUnknownKinds(in descriptor: Int32) {
    for index in items.indices where items[index].kind == nil {
      let status = withName(of: items[index]) { try? SystemCall.status(at: descriptor, $0) }
      items[index].kind = status?.kind ?? .other
    }
  }

  private mutating func sort() {
    names.withUnsafeBufferPointer { names in
      items.sort { left, right in
        let shared = min(left.length, right.length)
        for offset in 0..<shared where names[left.start + offset] != names[right.start + offset] {
          return names[left.start + offset] < names[right.start + offset]
        }
        return Self.next(left, after: shared, names) < Self.next(right, after: shared, names)
      }
    }
  }

  private static func next(_ item: Item, after offset: Int, _ names: UnsafeBufferPointer<UInt8>) -> Int {
    if item.length > offset { return Int(names[item.start + offset]) }
    return item.isDirectory ? Int(UInt8(ascii: "/")) : -1
  }

  /// The name's bytes.
  func name(of item: Item) -> ArraySlice<UInt8> { names[item.start..<(item.start + item.length)] }

  /// The name for a system call: its bytes and a NUL.
  func withName<Value>(of item: Item, _ body: (UnsafePointer<CChar>) -> Value) -> Value {
    Array(names[item.start...(item.start + item.length)]).withUnsafeBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        guard let base = characters.baseAddress else { return body("") }
        return body(base)
      }
    }
  }
}
