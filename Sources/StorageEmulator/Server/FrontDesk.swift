// Where each request arrives: it is logged, held against the fault rules, and answered by the service or by a control.

import TransferModel

struct FrontDesk: Sendable {
  let objects: ObjectStore
  let faults: FaultBook
  let log: RequestLog
  let configuration: EmulatorConfiguration

  func respond(to incoming: EmulatorRequest) -> Delivery {
    let route = Route(incoming.target)
    if case .control(let name) = route {
      return Delivery(answer: control(name, incoming), isHead: incoming.isHead)
    }
    var request = incoming
    request.number = log.append(request)
    let plan = FaultPlan(faults.actions(for: request, route), isHead: request.isHead)
    let service = StorageService(store: objects, quirks: configuration.quirks)
    var delivery = Delivery(
      answer: service.answer(request, route, plan), delay: plan.delay, wire: plan.wire, isHead: request.isHead)
    if let keepAlive = plan.keepAlive, request.numberOnConnection >= keepAlive.requests {
      delivery.closes = true
      delivery.closesSilently = keepAlive.silently
    }
    let status = plan.wire.isEmptyReply || plan.wire.isGarbage ? nil : delivery.answer.status
    if let status { log.setStatus(status, ofRequest: request.number) }
    configuration.onRequest?(LoggedRequest(request: request, status: status))
    return delivery
  }

  /// As it was started: no edits, no objects but those of the configuration, an empty log.
  func reset() throws(EmulatorFailure) {
    objects.reset()
    log.clear()
    do {
      let script = try FaultScript(parsing: configuration.faults)
      script.putObjects(into: objects)
      faults.set(script.rules)
    } catch {
      throw EmulatorFailure("fault script: \(error)")
    }
    try MetadataFile.declare(configuration.metadata, in: objects)
  }

  private func control(_ name: String, _ request: EmulatorRequest) -> EmulatorAnswer {
    switch (request.method, name) {
    case ("GET", "health"), ("HEAD", "health"): return EmulatorAnswer(json: .pairs([("status", .string("ok"))]))
    case ("GET", "log"):
      let lines = log.snapshot.map { $0.line + "\n" }.joined()
      return EmulatorAnswer(200, type: "application/x-ndjson", Array(lines.utf8))
    case ("POST", "reset"):
      do {
        try reset()
        return EmulatorAnswer(json: .pairs([("reset", .bool(true))]))
      } catch {
        return EmulatorAnswer(500, type: "text/plain", Array("\(error)\n".utf8))
      }
    case ("PUT", "faults"):
      do throws(FaultScript.Violation) {
        let script = try FaultScript(parsing: String(decoding: request.body, as: UTF8.self))
        script.putObjects(into: objects)
        faults.set(script.rules)
        return EmulatorAnswer(json: .pairs([("rules", .integer(script.rules.count))]))
      } catch {
        return EmulatorAnswer(400, type: "text/plain", Array("\(error)\n".utf8))
      }
    default:
      let known = "GET health, GET log, POST reset, PUT faults\n"
      return EmulatorAnswer(404, type: "text/plain", Array(known.utf8))
    }
  }
}
