// The commands that look at a mirror and do not change what it holds: verify, explain, status, doctor, report.

import MirrorPlan
import TransferModel

extension CommandSpec where Target == VerifyOptions {
  static var verify: Self {
    Self(
      name: "verify",
      summary: "Read the local files again and hold them against lock file and state; no network",
      examples: [
        Example("mirror verify mirror.yaml", "name every file that is wrong, missing or unknown"),
        Example("mirror verify --older-than 7d --repair mirror.yaml", "read what was not read for a week, mend it"),
      ],
      positionals: [OptionGroup.manifest(into: \.survey.manifest)],
      options: [
        .flag("repair", into: \.repairs, help: "fetch what is wrong or missing, as it is locked, and nothing else"),
        .value(
          "older-than", .duration, into: \.maximumAge,
          help: "pass by what was proven within this time and was not touched; nothing by default"),
        .flag("json", into: \.writesJSON, help: "print the findings as one JSON document"),
        .value(
          "root", .directory, into: \.survey.root, help: "look below this directory in place of the manifest's root"),
        .value(
          "jobs", short: "j", .integer(in: 1...1_024), into: \.survey.jobs,
          help: "files read at the same time; one for each processor by default"),
        .value(
          "wait", .duration, into: \.lockWait,
          help: "how long to wait for another run that holds the root; not at all by default"),
      ] + OptionGroup.talk(),
      notes: [Program.exitStatuses],
      defaults: VerifyOptions())
  }
}

extension CommandSpec where Target == ExplainOptions {
  static var explain: Self {
    Self(
      name: "explain",
      summary: "Say why one destination is decided as it is: facts, rule, requests",
      examples: [
        Example("mirror explain mirror.yaml images/stars.jpg", "for people"),
        Example("mirror explain --json mirror.yaml images/stars.jpg", "as one JSON document"),
      ],
      positionals: [
        OptionGroup.manifest(into: \.survey.manifest),
        .argument(
          ValueReader<RelativePath>.destination.optional, isRequired: true, into: \.destination,
          help: "a destination, as the manifest or the plan has it"),
      ],
      options: [.flag("json", into: \.writesJSON, help: "print the explanation as one JSON document")]
        + OptionGroup.locking() + OptionGroup.survey() + OptionGroup.talk(),
      defaults: ExplainOptions())
  }
}

extension CommandSpec where Target == StatusOptions {
  static var status: Self {
    Self(
      name: "status",
      summary: "Say how the last runs went, what is stale and what fails; no network",
      examples: [
        Example("mirror status mirror.yaml", "for people"),
        Example("mirror status --json mirror.yaml", "as one JSON document"),
      ],
      positionals: [OptionGroup.manifest(into: \.manifest)],
      options: [
        .flag("json", into: \.writesJSON, help: "print the status as one JSON document"),
        .value("root", .directory, into: \.root, help: "look below this directory in place of the manifest's root"),
      ] + OptionGroup.talk(),
      defaults: StatusOptions())
  }
}

extension CommandSpec where Target == DoctorOptions {
  static var doctor: Self {
    Self(
      name: "doctor",
      summary: "Look at what a run needs: root, hosts, clock, proxy, certificates, credentials",
      examples: [
        Example("mirror doctor mirror.yaml", "a line for each thing that was looked at"),
        Example("mirror doctor --json mirror.yaml", "as one JSON document"),
      ],
      positionals: [OptionGroup.manifest(into: \.manifest)],
      options: [
        .flag("json", into: \.writesJSON, help: "print the findings as one JSON document"),
        .value("root", .directory, into: \.root, help: "look at this directory in place of the manifest's root"),
      ] + OptionGroup.talk(),
      notes: [
        HelpLayout.wrapped(
          "Each host of the manifest is asked for its top page, and each credential is obtained and thrown away; nothing is "
            + "downloaded and no secret is printed. Exit status 3 when something is bad, else 0.")
      ],
      defaults: DoctorOptions())
  }
}

extension CommandSpec where Target == ReportOptions {
  static var report: Self {
    Self(
      name: "report",
      summary: "Sum up one or several JSON reports",
      examples: [
        Example("mirror report report.json", "totals, reasons and failures"),
        Example("mirror report --html report.html report.*-of-8.json", "all shards as one page"),
      ],
      positionals: [
        .argument(
          ValueReader<FileOrStream>.fileOrStream.first, isRequired: true, into: \.files,
          help: "a report, as apply --report writes it"),
        .repeated(.fileOrStream, into: \.files, help: "more of them"),
      ],
      options: [
        .value("html", .file, into: \.html, help: "write a page here as well; it needs no other file"),
        .flag("json", into: \.writesJSON, help: "print the sum as one JSON document"),
      ] + OptionGroup.talk(),
      defaults: ReportOptions())
  }
}

extension CommandSpec where Target == ImportOptions {
  static var importList: Self {
    Self(
      name: "import",
      summary: "Turn a list of URLs into a manifest",
      examples: [
        Example("mirror import urls.txt -o mirror.yaml", "one URL a line"),
        Example("mirror import --from aria2 - --root downloads", "aria2's input file, to standard output"),
      ],
      positionals: [
        .argument(
          ValueReader<FileOrStream>.fileOrStream.named("LIST"), into: \.list, help: "the list; - is standard input")
      ],
      options: [
        .value(
          "from", .choice, into: \.format,
          help: "what kind of list it is; by default what it looks like"),
        .value(
          "layout", .choice, into: \.layout,
          help: "what files are called that the list does not name: the URL's last part, or its host and path; "
            + "name by default, path for tsv"),
        .value("root", .directory, into: \.root, help: "the manifest's root; the manifest's own folder by default"),
        .value(
          "output", short: "o", .file, into: \.output,
          help: "write the manifest here, where nothing may be yet; to standard output by default"),
      ] + OptionGroup.talk(),
      notes: [
        HelpLayout.wrapped(
          "urls: one URL a line. csv: URL,NAME as rclone copyurl --urls takes it. aria2: its input file, with out, dir and "
            + "checksum. tsv: Storage Transfer Service's list, with sizes and MD5. Nothing is fetched; what a manifest has no "
            + "place for is said, and a list with an error gives no manifest.")
      ],
      defaults: ImportOptions())
  }
}
