import MirrorCLI
