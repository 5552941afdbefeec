// The rows of `Planner`'s tables by number, so that a decision can say which of them it is.

/// A row of the table in `Planner`'s comment.
package enum PlannerRule: String, Sendable, CaseIterable {
  /// The question of the first table: the file must be read before it is known what it is.
  case question
  case row1 = "1"
  case row2 = "2"
  case row3 = "3"
  case row4 = "4"
  case row5 = "5"
  case row6 = "6"
  case row7 = "7"
  case row8 = "8"
  case row9 = "9"
  case row10 = "10"
  case row11 = "11"
  case row12 = "12"
  case row13 = "13"
  case row14 = "14"
  case row15 = "15"
  case row16 = "16"
  case row17 = "17"
  case row18 = "18"
  case row19 = "19"
  case row20 = "20"
  case row21 = "21"
  case row22 = "22"
  case row23 = "23"
  case row24 = "24"
  case row24b = "24 b"
  case row25 = "25"
  case row26 = "26"
  case row27 = "27"
  case row28 = "28"
  case row29 = "29"
  case row30 = "30"
  case row31 = "31"
  case row32 = "32"
  case row33 = "33"
  case row34 = "34"
  case row35 = "35"

  /// The row's condition, for people.
  package var words: String {
    switch self {
    case .question: "the file's size, time or inode is not as recorded (or --check), so it is read"
    case .row1: "the recorded file has every pinned digest"
    case .row2: "a file that was not recorded, or was changed, has every pinned digest"
    case .row3: "digests are pinned, and those of the file are not known yet"
    case .row4: "the pinned generation is the recorded one"
    case .row5: "it could not be found out what is there"
    case .row6: "there is no such object"
    case .row7: "the object is no longer in its tree"
    case .row8: "a directory stands at the destination"
    case .row9: "something that is no regular file stands at the destination"
    case .row10: "nothing is there, and the remote side was not asked"
    case .row11: "nothing is there, or a symbolic link, and the object exists"
    case .row12: "the manifest's placeholder stands in, and the object exists"
    case .row13: "the file has not the pinned digest, and the remote side was not asked"
    case .row14: "the file has not the pinned digest, and the object exists"
    case .row15: "the file is kept in the other form of `content`"
    case .row16: "another generation is pinned than was recorded"
    case .row17: "the file came from another reference, and this one was not asked"
    case .row18: "the file is as recorded, and the request itself asks whether there is anything new"
    case .row19: "the file is as recorded, without a generation to ask by"
    case .row20: "the file is as recorded, and its server named nothing to ask by"
    case .row21: "the file is as recorded, and the object is the same"
    case .row22: "the file is as recorded, and the object is another"
    case .row23: "the object has a digest that was not computed of the file yet"
    case .row24: "the file is as recorded, and nothing compares it with the object"
    case .row24b: "the file came from another reference, and is not known to be the same"
    case .row25: "the file was changed, and the remote side was not asked"
    case .row26: "mirror did not write the file, and the remote side was not asked"
    case .row27: "a file that was changed, or that mirror did not write, has another size than the object"
    case .row28: "the object has digests, and those of the file are not known yet"
    case .row29: "a file that was changed, or that mirror did not write, is the object all the same"
    case .row30: "a file that was changed, or that mirror did not write, has other digests than the object"
    case .row31: "the file was changed, and the object has no digests"
    case .row32: "mirror did not write the file, and nothing compares it with the object"
    case .row33: "a file that is not as mirror wrote it is kept, and the remote side was not asked"
    case .row34: "a file that is not as mirror wrote it would be replaced, and `on_local_change` keeps it"
    case .row35: "a file that is not as mirror wrote it would be replaced, and `on_local_change` is fail"
    }
  }
}

/// A verdict and the row that it comes from.
package struct Ruling: Hashable, Sendable {
  package var verdict: Verdict
  package var rule: PlannerRule

  init(_ verdict: Verdict, _ rule: PlannerRule) {
    self.verdict = verdict
    self.rule = rule
  }

  init(_ decision: Decision, _ rule: PlannerRule) { self.init(.decided(decision), rule) }
}
