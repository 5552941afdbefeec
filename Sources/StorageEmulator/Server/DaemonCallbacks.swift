// What libmicrohttpd calls: collects a request, asks for its answer, and gives it to the library or to a worker.

import CMicroHTTPD
import Glibc
import TransferModel

/// Called on the library's threads; one connection is always served by the same one.
final class DaemonCallbacks: Sendable {
  typealias Responder = @Sendable (EmulatorRequest) -> Delivery

  let workers: Workers
  private let responder: Responder
  private let connections = Lock(0)
  private static let largestBody = 64 << 20

  init(workers: Workers, responder: @escaping Responder) {
    self.workers = workers
    self.responder = responder
  }

  static func from(_ context: UnsafeMutableRawPointer?) -> DaemonCallbacks {
    guard let context else { preconditionFailure("the library lost its context") }
    return Unmanaged<DaemonCallbacks>.fromOpaque(context).takeUnretainedValue()
  }

  func notify(_ record: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ code: MHD_ConnectionNotificationCode) {
    if code == .CONNECTION_NOTIFY_STARTED {
      let number = connections.withLock { count in
        count += 1
        return count
      }
      record.pointee = Unmanaged.passRetained(ConnectionRecord(number: number)).toOpaque()
    } else if let pointer = record.pointee {
      Unmanaged<ConnectionRecord>.fromOpaque(pointer).release()
      record.pointee = nil
    }
  }

  /// The request line is there, not decoded yet.
  func begin(_ target: UnsafePointer<CChar>, _ connection: OpaquePointer) -> UnsafeMutableRawPointer {
    Unmanaged.passRetained(Exchange(target: String(cString: target))).toOpaque()
  }

  static func end(_ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>) {
    guard let pointer = request.pointee else { return }
    Unmanaged<Exchange>.fromOpaque(pointer).release()
    request.pointee = nil
  }

  /// The library calls with the head, then for each piece of the body, then once more without one; and again after each
  /// suspension.
  func handle(
    _ connection: OpaquePointer, _ method: UnsafePointer<CChar>, _ upload: UnsafePointer<CChar>?,
    _ uploadSize: UnsafeMutablePointer<Int>, _ request: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  ) -> MHD_Result {
    guard let pointer = request.pointee else { return .NO }
    let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
    switch exchange.stage {
    case .begun:
      exchange.stage = .receiving
      return .YES
    case .receiving:
      guard uploadSize.pointee > 0, let upload else {
        return respond(to: exchange, connection, method: String(cString: method))
      }
      guard exchange.body.count + uploadSize.pointee <= Self.largestBody else { return .NO }
      exchange.body += UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee)
      uploadSize.pointee = 0
      return .YES
    case .ready(let delivery): return LibraryAnswer.queue(delivery, connection)
    case .finished: return .NO
    }
  }

  private func respond(to exchange: Exchange, _ connection: OpaquePointer, method: String) -> MHD_Result {
    let record = mirror_mhd_socket_context(connection).map {
      Unmanaged<ConnectionRecord>.fromOpaque($0).takeUnretainedValue()
    }
    record?.requests += 1
    let delivery = responder(
      EmulatorRequest(
        number: 0, method: method, target: RequestTarget(exchange.target), fields: Self.fields(connection),
        body: exchange.body, connection: record?.number ?? 0, numberOnConnection: record?.requests ?? 1,
        time: Timestamp.now()))
    if delivery.isBeyondTheLibrary { return play(delivery, exchange, connection) }
    guard let delay = delivery.delay else { return LibraryAnswer.queue(delivery, connection) }
    return suspend(exchange, connection) { stop in
      var watched = pollfd(fd: stop, events: Int16(POLLIN), revents: 0)
      _ = poll(&watched, 1, Int32(clamping: delay.inMilliseconds))
      return .ready(delivery)
    }
  }

  private func play(_ delivery: Delivery, _ exchange: Exchange, _ connection: OpaquePointer) -> MHD_Result {
    // A descriptor of our own, so that the number stays valid whatever the library does.
    let socket = fcntl(mirror_mhd_socket(connection), F_DUPFD_CLOEXEC, 0)
    guard socket >= 0 else { return .NO }
    let plan = WirePlan(
      delivery.answer, delivery.wire, delay: delivery.delay, isHead: delivery.isHead,
      isSilent: delivery.closesSilently, now: Timestamp.now())
    return suspend(exchange, connection, orElse: { close(socket) }) { stop in
      WirePlayer(socket: socket, stop: stop).play(plan)
      close(socket)
      return .finished
    }
  }

  /// Takes the connection out of the library's hands while `work` runs, then gives it back at the stage it returns.
  private func suspend(
    _ exchange: Exchange, _ connection: OpaquePointer, orElse undo: () -> Void = {},
    _ work: @escaping @Sendable (_ stop: Int32) -> Exchange.Stage
  ) -> MHD_Result {
    // Both stay valid until the connection is resumed, and the library touches neither before.
    nonisolated(unsafe) let exchange = exchange
    nonisolated(unsafe) let connection = connection
    let stop = workers.stopPipe.read
    let started = workers.start(preparing: { MHD_suspend_connection(connection) }) {
      exchange.stage = work(stop)
      MHD_resume_connection(connection)
    }
    if !started { undo() }
    return started ? .YES : .NO
  }

  private static func fields(_ connection: OpaquePointer) -> HTTPFields {
    var fields = HTTPFields()
    withUnsafeMutablePointer(to: &fields) { pointer in
      _ = MHD_get_connection_values(
        connection, .HEADER_KIND,
        { context, _, name, value in
          guard let context, let name else { return .YES }
          let fields = context.assumingMemoryBound(to: HTTPFields.self)
          fields.pointee.append(String(cString: name), value.map { String(cString: $0) } ?? "")
          return .YES
        }, pointer)
    }
    return fields
  }
}
