// What went wrong, by the codes of the Apple SDK.

import CloudStorage
import Foundation

func explain(_ error: any Error) -> String {
  switch StorageErrorCode(rawValue: (error as NSError).code) {
  case .objectNotFound: "There is no such object."
  case .unauthorized: "You may not read it."
  case .cancelled: "You cancelled it."
  case .unknown: "The server said: \((error as NSError).userInfo["ResponseBody"] ?? "nothing")"
  default: error.localizedDescription
  }
}
