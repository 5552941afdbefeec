// A run under the eyes of its watchdog.

import TransferModel

extension MirrorRun {
  /// Does `body` while a thread watches whether the pool moves. A run that is stuck is stopped as a signal would stop it;
  /// one that does not even stop is given up.
  func watching(_ pool: TransferPool, _ body: () async -> Void) async {
    let settings =
      options.watchdog
      ?? Watchdog.Settings(
        longest: (manifest.items.settings + manifest.trees.map(\.settings)).map(\.timeouts))
    let thread = WatchdogThread(
      pool, progress: progress, clocks: environment.clocks, settings: settings,
      stopRun: { [control] failure in control.stop(.stuck(failure)) },
      giveUp: { [control, options] in
        if case .stuck(let failure)? = control.stop { options.giveUp(failure) }
      })
    thread.start()
    await body()
    thread.stop()
  }
}
