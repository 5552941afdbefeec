// `mirror`, the command: everything it does lives in MirrorCLI.

import Glibc
import MirrorCLI

exit(MirrorProgram.run(CommandLine.arguments))
