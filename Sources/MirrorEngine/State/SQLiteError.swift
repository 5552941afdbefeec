// What SQLite answered when it did not answer OK, and what that means for us: a damaged database, or a machine that
// cannot write. Says nothing about what to do with a damaged one; that is `StateDatabase+Opening.swift`.

import CSQLite
import Glibc
import TransferModel

/// An answer of SQLite other than OK, ROW and DONE.
struct SQLiteError: Error, Hashable {
  /// The extended result code (https://www.sqlite.org/rescode.html).
  var code: Int32
  /// SQLite's own sentence.
  var message: String
  /// The error number of the system call behind it; 0 when there was none.
  var systemError: Int32 = 0

  /// The primary result code: the low byte of every extended one.
  var primaryCode: Int32 { code & 0xFF }

  /// What a result code says about the database.
  enum Meaning: Hashable {
    /// The file is no usable state database; a new one may take its place.
    case damaged
    /// This machine would not let us: full, read-only, denied, busy.
    case refused(ReasonCode)
  }

  /// The meaning of the code. The disk's errors while *reading* count as damage, since the file cannot be had back by
  /// trying again; those while writing do not.
  ///
  /// | primary code | meaning |
  /// | --- | --- |
  /// | `CORRUPT`, `NOTADB`, `FORMAT`, `ERROR`, `MISMATCH`, `SCHEMA`, `CONSTRAINT` | damaged |
  /// | `IOERR` of a read | damaged |
  /// | `READONLY` since the file was deleted or replaced under us | damaged |
  /// | `IOERR` of anything else, `CANTOPEN` | by the system's error number, else `io_error` |
  /// | `FULL` | `disk_full` |
  /// | `READONLY` | `read_only` |
  /// | `PERM`, `AUTH` | `permission_denied` |
  /// | `NOMEM` | `out_of_memory` |
  /// | `BUSY`, `LOCKED`, anything else | `io_error` |
  var meaning: Meaning {
    switch primaryCode {
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_ERROR, SQLITE_MISMATCH, SQLITE_SCHEMA, SQLITE_CONSTRAINT:
      .damaged
    case SQLITE_IOERR where Self.readErrors.contains(code): .damaged
    case SQLITE_READONLY where code == Self.fileMoved: .damaged
    case SQLITE_IOERR, SQLITE_CANTOPEN: .refused(Self.reason(forSystemError: systemError))
    case SQLITE_FULL: .refused(.diskFull)
    case SQLITE_READONLY: .refused(.readOnly)
    case SQLITE_PERM, SQLITE_AUTH: .refused(.permissionDenied)
    case SQLITE_NOMEM: .refused(.outOfMemory)
    default: .refused(.ioError)
    }
  }

  // The extended codes are macros with arithmetic in them, which do not import: IOERR | n << 8.
  static let shortRead = SQLITE_IOERR | 2 << 8
  static let fileMoved = SQLITE_READONLY | 4 << 8
  private static let readErrors: Set<Int32> = [
    SQLITE_IOERR | 1 << 8,  // IOERR_READ
    shortRead,  // IOERR_SHORT_READ
    SQLITE_IOERR | 32 << 8,  // IOERR_DATA: a checksum of the VFS
    SQLITE_IOERR | 33 << 8,  // IOERR_CORRUPTFS
  ]

  /// The reason code for an error number of the system.
  static func reason(forSystemError number: Int32) -> ReasonCode {
    switch number {
    case ENOSPC, EDQUOT: .diskFull
    case EACCES, EPERM: .permissionDenied
    case EROFS: .readOnly
    case EMFILE, ENFILE: .tooManyOpenFiles
    case ENOMEM: .outOfMemory
    case ENOTDIR: .notADirectory
    case EISDIR: .isADirectory
    case ELOOP: .symlinkRefused
    default: .ioError
    }
  }

  /// The same as a failure of the run; `operation` completes "cannot …".
  func failure(_ operation: String, at path: String) -> TransferFailure {
    let reason: ReasonCode =
      switch meaning {
      case .damaged: .ioError
      case .refused(let reason): reason
      }
    let hint =
      primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED
      ? "Another process holds the state; end it or try again later."
      : "Free space or repair permissions; the state may be deleted, which costs reading the files once."
    return TransferFailure(
      reason, .local, "cannot \(operation) the state \(path): \(message)", hint: hint,
      errno: systemError == 0 ? nil : systemError)
  }
}
