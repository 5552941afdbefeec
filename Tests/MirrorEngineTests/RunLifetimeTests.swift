// What is left of a run once it is over: nothing, so that a program may have as many as it likes.

import TestSupport
import Testing

@testable import MirrorEngine

@Suite struct RunLifetimeTests {
  @Test func `a run that is over lets go of its control, its pool and all that they hold`() async throws {
    let world = try LockWorld()
    weak var control: RunControl?
    let status = try await world.with { run in
      control = run.control
      return try await run.apply().status
    }
    #expect(status == .done)
    // The watchdog looks once a second.
    try await waitUntil("the control is gone") { () async throws -> Bool in control == nil }
  }

  @Test func `a run that was stopped lets go as well`() async throws {
    let world = try LockWorld()
    try world.emulator.play("on media b/** => delay 300ms")
    weak var control: RunControl?
    _ = try await world.with { run in
      control = run.control
      return try await run.apply { _ in run.control.stop(.budget) }.status
    }
    try await waitUntil("the control is gone") { () async throws -> Bool in control == nil }
  }
}
