// What the commands that look at a mirror are given: verify, explain, status, report; and import.

import MirrorPlan
import TransferModel

struct VerifyOptions: Hashable, Sendable, Talking {
  var survey = SurveyOptions()
  var talk = TalkOptions()
  var writesJSON = false
  /// Fetch what is wrong or missing.
  var repairs = false
  /// Files that were proven within this time and have not been touched are passed by; nil = none.
  var maximumAge: Duration?
  /// How long another run that holds the root is waited for.
  var lockWait = Duration.zero
}

struct ExplainOptions: Hashable, Sendable, Talking, Surveying {
  var survey = SurveyOptions()
  var talk = TalkOptions()
  /// nil only before the command line was read.
  var destination: RelativePath?
  var writesJSON = false
}

struct StatusOptions: Hashable, Sendable, Talking {
  var talk = TalkOptions()
  var manifest = FileOrStream.standardStream
  /// nil = the manifest's own.
  var root: String?
  var writesJSON = false
}

struct DoctorOptions: Hashable, Sendable, Talking {
  var talk = TalkOptions()
  var manifest = FileOrStream.standardStream
  /// nil = the manifest's own.
  var root: String?
  var writesJSON = false
}

struct ImportOptions: Hashable, Sendable, Talking {
  var talk = TalkOptions()
  var list = FileOrStream.standardStream
  /// nil = what the list looks like.
  var format: ImportFormat?
  /// nil = as the program does it that takes such lists.
  var layout: ImportLayout?
  /// As it is to stand in the manifest.
  var root = "."
  /// A file that is not there yet; nil = standard output.
  var output: String?
}

struct ReportOptions: Hashable, Sendable, Talking {
  var talk = TalkOptions()
  var files: [FileOrStream] = []
  /// Where the page goes; nil = none is written.
  var html: String?
  var writesJSON = false
}
