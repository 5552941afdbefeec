// Where a program is found. Starting one looks for itself; this tells beforehand.

import Glibc

package enum ProgramLookup {
  /// Where execvp(3) goes when there is no PATH (glibc).
  private static let standardPath = "/bin:/usr/bin"

  /// The file that `ChildProcess` would start; nil = there is none that this user may execute.
  ///
  /// - folder: the folder that it starts in, from which a name with a slash is looked up; empty = ours.
  /// - path: the PATH; nil = there is none.
  package static func file(of program: String, startingIn folder: String, path: String?) -> String? {
    guard !program.isEmpty else { return nil }
    guard !program.utf8.contains(UInt8(ascii: "/")) else {
      let file = program.hasPrefix("/") || folder.isEmpty ? program : folder + "/" + program
      return isProgram(file) ? file : nil
    }
    let folders = (path ?? standardPath).utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    for place in folders {
      // An empty entry is the working directory.
      let file = (place.isEmpty ? "." : String(Substring(place))) + "/" + program
      if isProgram(file) { return file }
    }
    return nil
  }

  private static func isProgram(_ file: String) -> Bool {
    var status = stat()
    return stat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(file, X_OK) == 0
  }
}
