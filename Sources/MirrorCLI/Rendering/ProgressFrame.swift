// Draws a snapshot as lines of text. A function of its parameters; when and where it is shown is `ProgressDisplay`.

import MirrorPlan
import TransferModel

/// The lines of a progress display.
struct ProgressFrame {
  /// The terminal's width in columns. The last column stays empty, where some terminals wrap.
  let columns: Int
  let isColored: Bool
  /// How many transfers get a line of their own.
  let transferLines: Int

  init(columns: Int, isColored: Bool = false, transferLines: Int = 4) {
    self.columns = columns
    self.isColored = isColored
    self.transferLines = transferLines
  }

  private var width: Int { max(1, columns - 1) }

  /// The overall line, then the oldest transfers; no line is wider than the terminal.
  func lines(of snapshot: ProgressSnapshot) -> [String] {
    [overall(snapshot)] + snapshot.transfers.prefix(transferLines).map(line)
  }

  /// The overall line without a bar, for where no frame can be redrawn.
  static func plainLine(of snapshot: ProgressSnapshot) -> String {
    var fields = fields(of: snapshot)
    for transfer in snapshot.transfers {
      // One is enough to say why nothing moves (P94).
      guard case .waiting(let reason, let left) = transfer.phase else { continue }
      let name = TerminalText.escape(transfer.destination)
      fields.append("\(name) waits \(left.shortText): \(TerminalText.escape(reason))")
      break
    }
    return fields.joined(separator: ", ")
  }

  /// The bar takes what room the fields leave; where there is none for it, fields go from the back, failures last.
  private func overall(_ snapshot: ProgressSnapshot) -> String {
    var fields = Self.fields(of: snapshot)
    while fields.count > 1, fields.joined(separator: "  ").count > width { fields.removeLast() }
    let text = fields.joined(separator: "  ")
    let room = min(Self.widestBar, width - text.count - 4)
    guard room >= Self.narrowestBar, let fraction = snapshot.fraction else {
      return DisplayWidth.head(of: text, columns: width)
    }
    let filled = Int((fraction * Double(room)).rounded(.down))
    let done = String(repeating: "#", count: filled)
    let missing = String(repeating: "-", count: room - filled)
    return "[\(isColored ? Self.green + done + Self.plain : done)\(missing)]  \(text)"
  }

  private static let widestBar = 30
  private static let narrowestBar = 8
  private static let green = "\u{1B}[32m"
  private static let plain = "\u{1B}[0m"

  /// Most important first.
  private static func fields(of snapshot: ProgressSnapshot) -> [String] {
    var fields: [String] = []
    if let fraction = snapshot.fraction { fields.append("\(Int(fraction * 100))%") }
    if snapshot.itemsFailed > 0 { fields.append("\(snapshot.itemsFailed) failed") }
    let total = snapshot.itemsTotal.map { "/\($0)" } ?? ""
    fields.append("\(snapshot.itemsDone)\(total) items")
    if let left = snapshot.timeLeft { fields.append("\(left.shortText) left") }
    if let rate = snapshot.rate { fields.append("\(ByteCount(Int64(rate)))/s") }
    let bytesTotal = snapshot.bytesTotal.map { " of \(ByteCount($0))" } ?? ""
    fields.append("\(ByteCount(snapshot.bytesDone))\(bytesTotal)")
    return fields
  }

  private func line(for transfer: ProgressSnapshot.Transfer) -> String {
    let state: String
    switch transfer.phase {
    case .receiving:
      let total = transfer.totalBytes.map { " of \(ByteCount($0))" } ?? ""
      state = "\(ByteCount(transfer.bytes))\(total)"
    case .waiting(let reason, let left):
      state = "waits \(left.shortText): \(TerminalText.escape(reason))"
    }
    let room = width - DisplayWidth.columns(of: state) - 4
    let name = DisplayWidth.tail(of: TerminalText.escape(transfer.destination), columns: max(8, room))
    return DisplayWidth.head(of: "  \(name)  \(state)", columns: width)
  }
}

extension Duration {
  /// Two units at most, the second always with two digits: `45s`, `1m23s`, `2h05m`, `3d04h`; rounded up to seconds.
  var shortText: String {
    let seconds = max(0, components.seconds + (components.attoseconds > 0 ? 1 : 0))
    func pair(_ high: Int64, _ unit: String, _ low: Int64, _ smaller: String) -> String {
      "\(high)\(unit)\(low < 10 ? "0" : "")\(low)\(smaller)"
    }
    if seconds < 60 { return "\(seconds)s" }
    if seconds < 3_600 { return pair(seconds / 60, "m", seconds % 60, "s") }
    if seconds < 86_400 { return pair(seconds / 3_600, "h", seconds % 3_600 / 60, "m") }
    return pair(seconds / 86_400, "d", seconds % 86_400 / 3_600, "h")
  }
}
