// `mirror`, the command: everything it does lives in MirrorCLI.

import Glibc
import MirrorCLI

exit(await MirrorProgram.run(CommandLine.arguments))
