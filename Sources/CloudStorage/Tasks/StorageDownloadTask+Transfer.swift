// The transfer of a task: what happens on the transport's thread. It is told nothing, it looks (`DownloadTaskMachine`).

import FileTransfer
import Foundation
import TransferModel

extension StorageDownloadTask {
  func askForLook() {
    guard case .order(let order) = work else { return }
    order.operation.services.transport.run(onLoop: order.operation.loop) { loop in self.signal(.look, on: loop) }
  }

  func take(_ step: DownloadTaskMachine.Step, on loop: any TransferLoop) {
    switch step {
    case .begin: begin(on: loop)
    case .halt: download.value(on: loop)?.pause { [weak self] position in self?.signal(.halted(at: position)) }
    case .proceed: download.value(on: loop)?.resume()
    case .abandon: download.value(on: loop)?.cancel()
    }
  }

  /// The download knows the task weakly: what keeps the task is that it is under way.
  private func begin(on loop: any TransferLoop) {
    guard case .order(let order) = work else { return }
    let spec = order.spec(memory) { [weak self] position, total in
      self?.signal(.received(TransferCounts(completed: position, total: total ?? TransferCounts.unknownTotal)))
    }
    let running = ObjectDownload(Shared(spec), services: order.operation.services, loop: loop) {
      [weak self, download] result in
      download.set(nil, on: loop)
      self?.finish(order, result)
    }
    download.set(running, on: loop)
    running.start()
  }

  private func finish(_ order: DownloadOrder, _ result: DownloadResult) {
    var counts = state.withLock { $0.machine.counts }
    let sink = memory.withLock { sink in
      defer { sink = nil }
      return sink
    }
    switch result.ending {
    case .stored(let object), .identical(let object):
      counts = TransferCounts(completed: object.size, total: object.size)
      note(object.version)
      if let sink { data.withLock { $0 = sink.take() } }
      signal(.ended(nil, counts))
    case .unchanged:
      signal(.ended(.internalError(message: "the server says that nothing has changed"), counts))
    case .failed(let failure):
      let error = order.error(failure, result)
      if case .downloadSizeExceeded(let total, _) = error { counts.total = total }
      signal(.ended(error, counts))
    }
  }
}
