// A folder that was empty when it was looked at is not asked again; any other is, for every name.

import LocalFiles
import Testing
import TransferModel

@Suite("Repeated surveys")
struct RepeatedSurveyTests {
  let directory: TestDirectory
  let survey: RepeatedSurvey

  init() throws {
    directory = try TestDirectory()
    survey = RepeatedSurvey(try directory.cache())
  }

  /// Asks for that many names of a folder at which nothing stands.
  func ask(_ count: Int, in folder: String) throws {
    for number in 0..<count { #expect(try survey.survey(try destination("\(folder)nothing\(number)")) == nil) }
  }

  @Test("an empty folder, a missing one, and one with nothing but mirror's own", arguments: ["a/", "b/c/", ""])
  func vacant(folder: String) throws {
    if folder == "a/" { try directory.makeDirectory("a") }
    try directory.makeDirectory(".mirror")
    try ask(8, in: folder)
    // What comes now is not seen: this is what makes it cheap, and why nothing may be replaced unseen.
    if folder == "b/c/" { for name in ["b", "b/c"] { try directory.makeDirectory(name) } }
    try directory.write("\(folder)late", "late")
    #expect(try survey.survey(try destination("\(folder)late")) == nil)
  }

  @Test("before so many names were asked for, each is looked for")
  func few() throws {
    try directory.makeDirectory("a")
    try ask(7, in: "a/")
    try directory.write("a/late", "late")
    #expect(try survey.survey(try destination("a/late"))?.kind == .file)
    try ask(20, in: "a/")
    #expect(try survey.survey(try destination("a/late"))?.kind == .file)
  }

  @Test("a folder with anything in it is asked for every name", arguments: ["a/file", "a/.hidden", "a/folder/x"])
  func occupied(name: String) throws {
    for folder in ["a", "a/folder"] { try directory.makeDirectory(folder) }
    try directory.write(name, "x")
    try ask(100, in: "a/")
    try directory.write("a/late", "late")
    #expect(try survey.survey(try destination("a/late"))?.kind == .file)
    #expect(try survey.survey(try destination(name))?.kind == .file)
  }

  @Test("what is known of one folder says nothing of those beside, above and below it")
  func others() throws {
    for folder in ["a", "a/b", "ab"] { try directory.makeDirectory(folder) }
    try directory.write("a/b/x", "x")
    try directory.write("ab/x", "x")
    try directory.write("x", "x")
    try ask(8, in: "c/")
    for name in ["a/b/x", "ab/x", "x"] { #expect(try survey.survey(try destination(name))?.kind == .file) }
    #expect(try survey.survey(try destination("a/b"))?.kind == .directory)
  }
}
