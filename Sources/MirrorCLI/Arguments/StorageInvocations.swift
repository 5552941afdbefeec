// What the commands that ask about one place in a bucket are given.

import MirrorPlan
import TransferModel

/// Which place, and who answers for it.
struct QuestionOptions: Hashable, Sendable {
  /// As written; which forms there are is the manifest's business.
  var reference = ""
  /// The bucket of a reference that is a bare path; nil = the manifest's.
  var bucket: String?
  /// Where storage, credentials and ways to hosts are taken from; nil = no credentials.
  var manifest: FileOrStream?
  /// nil = the manifest's, else Firebase's.
  var api: StorageSettings.API?
  /// nil = the manifest, else the environment decides, else the real service.
  var emulator: Origin?
  /// How long to try when the failure may pass; nil = 2 minutes, for a whole object 10.
  var retryBudget: Duration?
}

/// Options of a command that asks.
protocol Questioning: Talking {
  var question: QuestionOptions { get set }
}

struct StatOptions: Hashable, Sendable, Questioning {
  var talk = TalkOptions()
  var question = QuestionOptions()
  var writesJSON = false
}

struct URLOptions: Hashable, Sendable, Questioning {
  var talk = TalkOptions()
  var question = QuestionOptions()
}

struct ListOptions: Hashable, Sendable, Questioning {
  var talk = TalkOptions()
  var question = QuestionOptions()
  /// Sizes and times too.
  var isLong = false
  /// Everything below, without folders.
  var isRecursive = false
  var writesJSON = false
}

struct SetMetadataOptions: Hashable, Sendable, Questioning {
  var talk = TalkOptions()
  var question = QuestionOptions()
  var values: [MetadataValue] = []
  /// Keys whose value is taken away.
  var unset: [MetadataKey] = []
}
