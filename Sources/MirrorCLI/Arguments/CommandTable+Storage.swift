// The commands that ask about one place in a bucket, and their options.

import MirrorPlan
import TransferModel

extension OptionGroup {
  static func reference<Target: Questioning>(_ help: String) -> PositionalSpec<Target> {
    .argument(.text.named("REF"), into: \Target.question.reference, help: help)
  }

  static let objectHelp = "gs://BUCKET/OBJECT, a Firebase link, or a path in --bucket"

  /// - Parameter time: how long is tried by default.
  static func question<Target: Questioning>(retries time: String = "2m") -> [OptionSpec<Target>] {
    [
      .value(
        "manifest", short: "m", .fileOrStream, into: \Target.question.manifest,
        help: "take bucket, credentials, certificates and proxies from this manifest; without, nothing secret is sent"),
      .value(
        "bucket", .text.named("NAME"), into: \Target.question.bucket,
        help: "the bucket of a REF that is only a path; by default the manifest's"),
      .value(
        "api", .choice, into: \Target.question.api,
        help: "how buckets are spoken to; as the manifest says, else firebase"),
      .value(
        "emulator", .origin, into: \Target.question.emulator,
        help:
          "a storage emulator in place of the real service; by default what the manifest or the environment says"),
      .value(
        "retry-for", .duration, into: \Target.question.retryBudget,
        help: "how long to try when the failure may pass; \(time) by default"),
    ]
  }
}

extension CommandSpec where Target == GetOptions {
  /// `get` to standard output.
  static var cat: Self {
    var defaults = GetOptions()
    defaults.destination = .standardStream
    return Self(
      name: "cat",
      summary: "Write one object to standard output",
      examples: [
        Example("mirror cat gs://my-app/notes.txt", "show it"),
        Example("mirror cat --bucket my-app notes.txt", "the same"),
      ],
      positionals: Array(CommandSpec.get.positionals.prefix(1)),
      options: CommandSpec.get.options,
      notes: [Program.exitStatuses],
      defaults: defaults)
  }
}

extension CommandSpec where Target == StatOptions {
  static var stat: Self {
    Self(
      name: "stat",
      summary: "Say what is known about one object",
      examples: [
        Example("mirror stat gs://my-app/images/stars.jpg", "size, type, times, checksums"),
        Example("mirror stat --json gs://my-app/images/stars.jpg", "as one JSON object"),
      ],
      positionals: [OptionGroup.reference(OptionGroup.objectHelp)],
      options: [.flag("json", into: \.writesJSON, help: "print one JSON object with the service's own keys")]
        + OptionGroup.question() + OptionGroup.talk(),
      notes: [Program.exitStatuses],
      defaults: StatOptions())
  }
}

extension CommandSpec where Target == URLOptions {
  static var url: Self {
    Self(
      name: "url",
      summary: "Print the link by which anyone can download one object",
      examples: [
        Example("mirror url gs://my-app/images/stars.jpg", "the object's long-lived link"),
        Example("mirror url --bucket my-app images/stars.jpg", "the same"),
      ],
      positionals: [OptionGroup.reference(OptionGroup.objectHelp)],
      options: OptionGroup.question() + OptionGroup.talk(),
      notes: [
        HelpLayout.wrapped(
          "The link holds a token of Firebase's and needs no other permission: treat it as a password. It is good until "
            + "the token is revoked in the console."),
        Program.exitStatuses,
      ],
      defaults: URLOptions())
  }
}

extension CommandSpec where Target == ListOptions {
  static var list: Self {
    Self(
      name: "ls",
      summary: "List a folder of a bucket",
      examples: [
        Example("mirror ls gs://my-app/images", "the objects and folders in it"),
        Example("mirror ls -lr gs://my-app", "every object with size and time"),
      ],
      positionals: [OptionGroup.reference("gs://BUCKET, gs://BUCKET/FOLDER, or a path in --bucket")],
      options: [
        .flag(
          "long", short: "l", into: \.isLong,
          help: "sizes and times too; with Firebase's API that is one more request for each object"),
        .flag("recursive", short: "r", into: \.isRecursive, help: "every object below it, and no folders"),
        .flag("json", into: \.writesJSON, help: "print one JSON object a line"),
      ] + OptionGroup.question() + OptionGroup.talk(),
      notes: [Program.exitStatuses],
      defaults: ListOptions())
  }
}

extension CommandSpec where Target == SetMetadataOptions {
  static var setMetadata: Self {
    Self(
      name: "set-metadata",
      summary: "Change what is said about one object; its bytes stay",
      examples: [
        Example("mirror set-metadata gs://my-app/a.bin contentType=image/png", "set a field"),
        Example("mirror set-metadata gs://my-app/a.bin owner=kim --unset tmp", "set a key of its own, remove one"),
      ],
      positionals: [
        OptionGroup.reference(OptionGroup.objectHelp),
        .repeated(
          .metadataValue, into: \.values,
          help: "\(MetadataKey.fields.joined(separator: ", ")), or a key of the object's own"),
      ],
      options: [
        .values("unset", .metadataKey, into: \.unset, help: "take this key's value away; may be given several times")
      ] + OptionGroup.question() + OptionGroup.talk(),
      notes: [Program.exitStatuses],
      defaults: SetMetadataOptions())
  }
}
