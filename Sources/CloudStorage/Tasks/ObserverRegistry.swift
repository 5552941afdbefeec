// Who is to be told what, and in which order: a value. Calling them, on which queue, is the task's business.

/// The observers and completions of one task on one queue, and the reports that are on their way to them.
///
/// Every report that has to be told is put into an outbox, and whoever put it there gives the queue one *ticket*: a block
/// that takes the oldest report and tells it. So reports are told in the order in which they came about, whichever thread
/// was faster in reaching the queue.
///
/// | rule | how |
/// | --- | --- |
/// | an observer is told what happens after it registered, nothing twice | observers and reports are numbered together |
/// | a state that already holds is told to a new observer at once | a report of its own, for it alone |
/// | no call after removal, even if its report waits already | observers are looked up when they are called |
/// | a slow queue does not make reports pile up | a waiting `progress` report takes in the next one |
/// | the terminal report comes once; afterwards all observers are forgotten | the last report ends the registry |
/// | completions are no observers | they are kept apart, and no removal reaches them |
///
/// Closures that are given up are handed back, to be released where no lock is held: they may own anything.
struct ObserverRegistry<Report: Sendable>: Sendable {
  typealias Handler = @Sendable (Report) -> Void

  /// What one ticket has to do: call these observers, as far as they are still there, then `finish`.
  struct Delivery: Sendable {
    var report: Report
    var handles: [StorageHandle]
    /// To be called whatever was removed.
    var completions: [Handler] = []
    fileprivate var forgets: ClosedRange<UInt64>?
  }

  private struct Observer: Sendable {
    var status: StorageTaskStatus
    var handler: Handler
    var number: UInt64
  }

  private enum Audience: Sendable {
    case observers(StorageTaskStatus, until: UInt64)
    /// One that registered late; `thenGone` = after the end.
    case one(StorageHandle, thenGone: Bool)
    /// The observers of the end, then the completions; then nobody is left.
    case end(StorageTaskStatus, until: UInt64)
    /// A completion that was added after the end.
    case completion(Handler)
  }

  private var observers: [StorageHandle: Observer] = [:]
  private var completions: [Handler] = []
  private var outbox: [(audience: Audience, report: Report)] = []
  private var lastNumber: UInt64 = 0
  private var finalReport: Report?

  /// Whether nobody is registered.
  var isEmpty: Bool { observers.isEmpty && completions.isEmpty }

  // MARK: Registering

  /// Registers an observer; true = one ticket is due.
  ///
  /// `present` is the report of the state that holds already, if it is what the observer asks for.
  mutating func add(
    _ handle: StorageHandle, for status: StorageTaskStatus, present: Report?, _ handler: @escaping Handler
  ) -> Bool {
    let isOver = finalReport != nil
    guard status != .unknown, present != nil || !isOver else { return false }
    lastNumber += 1
    observers[handle] = Observer(status: status, handler: handler, number: lastNumber)
    guard let present else { return false }
    outbox.append((.one(handle, thenGone: isOver), present))
    return true
  }

  /// Adds what is called once with the terminal report, after its observers; true = one ticket is due.
  mutating func addCompletion(_ handler: @escaping Handler) -> Bool {
    guard let finalReport else {
      completions.append(handler)
      return false
    }
    outbox.append((.completion(handler), finalReport))
    return true
  }

  mutating func remove(_ handle: StorageHandle) -> [Handler] {
    observers.removeValue(forKey: handle).map { [$0.handler] } ?? []
  }

  /// Removes those of one status; nil = all of them.
  mutating func removeAll(for status: StorageTaskStatus?) -> [Handler] {
    let removed = observers.filter { status == nil || $0.value.status == status }
    for handle in removed.keys { observers[handle] = nil }
    return removed.values.map(\.handler)
  }

  // MARK: Reporting

  /// Puts a report into the outbox; true = one ticket is due.
  mutating func post(_ status: StorageTaskStatus, _ report: Report) -> Bool {
    guard finalReport == nil else { return false }
    lastNumber += 1
    if status == .progress, case .observers(.progress, _)? = outbox.last?.audience {
      outbox[outbox.count - 1] = (.observers(.progress, until: lastNumber), report)
      return false
    }
    guard observers.values.contains(where: { $0.status == status }) else { return false }
    outbox.append((.observers(status, until: lastNumber), report))
    return true
  }

  /// As `post`, for the one report that ends the task.
  mutating func postEnd(_ status: StorageTaskStatus, _ report: Report) -> Bool {
    guard finalReport == nil else { return false }
    lastNumber += 1
    finalReport = report
    guard !isEmpty else { return false }
    outbox.append((.end(status, until: lastNumber), report))
    return true
  }

  // MARK: Telling

  /// The oldest report, for the holder of a ticket.
  mutating func take() -> Delivery? {
    guard !outbox.isEmpty else { return nil }
    let (audience, report) = outbox.removeFirst()
    switch audience {
    case .observers(let status, let number):
      return Delivery(report: report, handles: handles(of: status, until: number))
    case .one(let handle, let thenGone):
      let number = thenGone ? observers[handle]?.number : nil
      return Delivery(report: report, handles: [handle], forgets: number.map { $0...$0 })
    case .end(let status, let number):
      defer { completions = [] }
      return Delivery(
        report: report, handles: handles(of: status, until: number), completions: completions, forgets: 0...number)
    case .completion(let handler):
      return Delivery(report: report, handles: [], completions: [handler])
    }
  }

  /// The observer, if it has not been removed meanwhile.
  func handler(_ handle: StorageHandle) -> Handler? { observers[handle]?.handler }

  /// After the calls of a delivery: forgets whom it was the last one for.
  mutating func finish(_ delivery: Delivery) -> [Handler] {
    guard let numbers = delivery.forgets else { return [] }
    let gone = observers.filter { numbers.contains($0.value.number) }
    for handle in gone.keys { observers[handle] = nil }
    return gone.values.map(\.handler)
  }

  private func handles(of status: StorageTaskStatus, until number: UInt64) -> [StorageHandle] {
    observers.filter { $0.value.status == status && $0.value.number < number }
      .sorted { $0.value.number < $1.value.number }.map(\.key)
  }
}
