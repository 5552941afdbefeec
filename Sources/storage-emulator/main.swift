// A server to try things on; see `EmulatorCommand`.

import Glibc
import StorageEmulator

exit(EmulatorCommand.run(Array(CommandLine.arguments.dropFirst())))
