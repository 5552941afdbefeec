// The environment variables that send storage traffic to an emulator.

package import TransferModel

/// Where the environment says that the storage services are.
///
/// | variable | usual form | serves |
/// | --- | --- | --- |
/// | `FIREBASE_STORAGE_EMULATOR_HOST` | `127.0.0.1:9199` | both APIs; wins |
/// | `STORAGE_EMULATOR_HOST` | `http://127.0.0.1:4443` | both, or Google's alone |
///
/// Either may have a scheme or not (http then) and a slash at its end. Set but empty counts as not set.
package struct StorageEnvironment: Hashable, Sendable {
  /// A variable whose value names no server.
  package struct Violation: Error, Hashable, Sendable {
    package let variable: String
    /// What is wrong and how it should look, one sentence.
    package let message: String
  }

  /// nil = the real services.
  package let emulator: Origin?
  /// The variable that named it.
  package let variable: String?

  /// `lookup` gives a variable's value, nil when it is not set.
  package init(lookup: (String) -> String?) throws(Violation) {
    for name in ["FIREBASE_STORAGE_EMULATOR_HOST", "STORAGE_EMULATOR_HOST"] {
      let value = ASCII.trimmed(Substring(lookup(name) ?? ""))
      guard !value.isEmpty else { continue }
      emulator = try Self.origin(String(value), of: name)
      variable = name
      return
    }
    emulator = nil
    variable = nil
  }

  /// The endpoint of an API in this environment.
  package func service(
    _ api: StorageAPI, userProject: String? = nil, timeouts: TransferTimeouts = TransferTimeouts()
  ) -> ObjectService {
    ObjectService(api, origin: emulator, userProject: userProject, timeouts: timeouts)
  }

  private static func origin(_ value: String, of name: String) throws(Violation) -> Origin {
    do {
      let url = try HTTPURL(parsing: value.contains("://") ? value : "http://" + value)
      guard url.userInfo == nil, url.query == nil, url.path == "/" else {
        throw Violation(variable: name, message: "\(name) takes a host and a port, as in 127.0.0.1:9199, and no path")
      }
      return url.origin
    } catch let violation as HTTPURL.Violation {
      throw Violation(
        variable: name, message: "\(name) takes a host and a port, as in 127.0.0.1:9199: \(violation.rawValue)")
    } catch let violation as Violation {
      throw violation
    } catch {
      throw Violation(variable: name, message: "\(name): \(error)")
    }
  }
}
