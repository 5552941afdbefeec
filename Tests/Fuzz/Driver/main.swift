// libFuzzer's driver: `fuzz TARGET …` goes on with libFuzzer's own arguments, `fuzz --list` names the targets,
// `fuzz --seeds TARGET FOLDER` writes the seeds of a target down.

import Foundation

exit(FuzzDriver.run(Array(CommandLine.arguments.dropFirst())))
