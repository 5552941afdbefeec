// SQLite, and the one constant whose type (a function pointer made of -1) does not import.
#pragma once
#include <sqlite3.h>

/// Tells a bind call to copy the bytes before it returns.
static inline sqlite3_destructor_type mirror_sqlite_transient(void) { return SQLITE_TRANSIENT; }
