/* Makes system calls of a program fail, for tests: loaded with LD_PRELOAD, told by variables what to break.
 * Not for faults that the kernel can be made to give by itself (full, read-only or inode-less disks).
 *
 *   MIRROR_FAULT_CALL   write | short | open | unnamed | rename | link | sync | truncate | read
 *                       `write` is pwrite and write, `short` writes one byte of each call, `sync` is fsync, fdatasync
 *                       and syncfs, `read` is pread and read, `rename` is whatever gives a file its name (linkat too),
 *                       `link` is linkat alone, `unnamed` opens a file without a name (O_TMPFILE).
 *   MIRROR_FAULT_ERRNO  the error number; default 5 (EIO). `short` gives none.
 *   MIRROR_FAULT_PATH   only files whose path contains this text; default: all.
 *   MIRROR_FAULT_AFTER  for `write`, `short` and `read` that many bytes pass before, for the others that many calls.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static const char *fault_call, *fault_path;
static int fault_errno = EIO;
static long fault_after;
static atomic_long passed;

__attribute__((constructor)) static void read_settings(void) {
  fault_call = getenv("MIRROR_FAULT_CALL");
  fault_path = getenv("MIRROR_FAULT_PATH");
  const char *number = getenv("MIRROR_FAULT_ERRNO"), *after = getenv("MIRROR_FAULT_AFTER");
  if (number) fault_errno = atoi(number);
  if (after) fault_after = atol(after);
}

/* Puts the folder's own path before a relative one. */
static int is_meant(const char *call, int folder, const char *path) {
  if (!fault_call || strcmp(fault_call, call) != 0) return 0;
  if (!fault_path) return 1;
  char link[32], whole[8192];
  ssize_t length = 0;
  if (path[0] != '/' && folder != AT_FDCWD) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    length = readlink(link, whole, 4095);
    if (length < 0) return 0;
  }
  snprintf(whole + length, sizeof whole - (size_t)length, length ? "/%s" : "%s", path);
  return strstr(whole, fault_path) != NULL;
}

static int file_is_meant(const char *call, int file) {
  if (!fault_call || strcmp(fault_call, call) != 0) return 0;
  if (!fault_path) return 1;
  char link[32], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strstr(path, fault_path) != NULL;
}

/* Counts `amount` and says whether it still passes. */
static int passes(long amount) {
  if (atomic_fetch_add(&passed, amount) + amount <= fault_after) return 1;
  errno = fault_errno;
  return 0;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* How many of the bytes may be written; -1 = the call fails. */
static ssize_t allowance(int file, size_t size) {
  if (file_is_meant("short", file)) return passes((long)size) || size == 0 ? (ssize_t)size : 1;
  if (file_is_meant("write", file) && !passes((long)size)) return -1;
  return (ssize_t)size;
}

ssize_t write(int file, const void *bytes, size_t size) {
  ssize_t allowed = allowance(file, size);
  return allowed < 0 ? -1 : REAL(write)(file, bytes, (size_t)allowed);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
  ssize_t allowed = allowance(file, size);
  return allowed < 0 ? -1 : REAL(pwrite)(file, bytes, (size_t)allowed, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
  ssize_t allowed = allowance(file, size);
  return allowed < 0 ? -1 : REAL(pwrite64)(file, bytes, (size_t)allowed, offset);
}

ssize_t read(int file, void *bytes, size_t size) {
  if (file_is_meant("read", file) && !passes((long)size)) return -1;
  return REAL(read)(file, bytes, size);
}

ssize_t pread(int file, void *bytes, size_t size, off_t offset) {
  if (file_is_meant("read", file) && !passes((long)size)) return -1;
  return REAL(pread)(file, bytes, size, offset);
}

ssize_t pread64(int file, void *bytes, size_t size, off64_t offset) {
  if (file_is_meant("read", file) && !passes((long)size)) return -1;
  return REAL(pread64)(file, bytes, size, offset);
}

#define OPEN(name, folder_number, parameters, arguments)                    \
  int name parameters {                                      \
    mode_t mode = 0;                                         \
    if ((flags & O_CREAT) || (flags & __O_TMPFILE) == __O_TMPFILE) { \
      va_list rest;                                          \
      va_start(rest, flags);                                 \
      mode = va_arg(rest, mode_t);                           \
      va_end(rest);                                          \
    }                                                        \
    const char *call = (flags & __O_TMPFILE) == __O_TMPFILE ? "unnamed" : "open"; \
    if (is_meant(call, folder_number, path) && !passes(1)) return -1;       \
    return REAL(name) arguments;                             \
  }

OPEN(open, AT_FDCWD, (const char *path, int flags, ...), (path, flags, mode))
OPEN(open64, AT_FDCWD, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, folder, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
OPEN(openat64, folder, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  if (is_meant("rename", to_folder, to) && !passes(1)) return -1;
  return REAL(renameat)(from_folder, from, to_folder, to);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned int flags) {
  if (is_meant("rename", to_folder, to) && !passes(1)) return -1;
  return REAL(renameat2)(from_folder, from, to_folder, to, flags);
}

int rename(const char *from, const char *to) {
  if (is_meant("rename", AT_FDCWD, to) && !passes(1)) return -1;
  return REAL(rename)(from, to);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  if ((is_meant("rename", to_folder, to) || is_meant("link", to_folder, to)) && !passes(1)) return -1;
  return REAL(linkat)(from_folder, from, to_folder, to, flags);
}

#define ON_FILE(name, call)                                  \
  int name(int file) {                                       \
    if (file_is_meant(call, file) && !passes(1)) return -1;  \
    return REAL(name)(file);                                 \
  }

ON_FILE(fsync, "sync")
ON_FILE(fdatasync, "sync")
ON_FILE(syncfs, "sync")

int ftruncate(int file, off_t size) {
  if (file_is_meant("truncate", file) && !passes(1)) return -1;
  return REAL(ftruncate)(file, size);
}

int ftruncate64(int file, off64_t size) {
  if (file_is_meant("truncate", file) && !passes(1)) return -1;
  return REAL(ftruncate64)(file, size);
}

/* MIRROR_FAULT_NAME=NAME: that name has the addresses ::1 and 127.0.0.1, in this order. */
#include <netdb.h>
#include <netinet/in.h>

static struct addrinfo *loopback(int family, const char *service, const struct addrinfo *hints) {
  struct addrinfo wanted = *hints, *found = NULL;
  wanted.ai_family = family;
  wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  if (REAL(getaddrinfo)(family == AF_INET ? "127.0.0.1" : "::1", service, &wanted, &found) != 0) return NULL;
  return found;
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **result) {
  const char *ours = getenv("MIRROR_FAULT_NAME");
  if (!ours || !name || !hints || strcmp(name, ours) != 0) return REAL(getaddrinfo)(name, service, hints, result);
  struct addrinfo *six = hints->ai_family == AF_INET ? NULL : loopback(AF_INET6, service, hints);
  struct addrinfo *four = hints->ai_family == AF_INET6 ? NULL : loopback(AF_INET, service, hints);
  *result = six ? six : four;
  if (!*result) return EAI_NONAME;
  while (six && six->ai_next) six = six->ai_next;
  if (six) six->ai_next = four; /* freeaddrinfo frees them one by one */
  return 0;
}

/* MIRROR_FAULT_CLOCK=SECONDS: the wall clock goes back and forth by that much from one call to the next; what measures
 * durations (CLOCK_MONOTONIC) is left alone, as the kernel leaves it alone when the time is set. */
#include <sys/time.h>
#include <time.h>

static long jump(void) {
  static atomic_long calls;
  const char *seconds = getenv("MIRROR_FAULT_CLOCK");
  if (!seconds) return 0;
  return atomic_fetch_add(&calls, 1) % 2 ? -atol(seconds) : atol(seconds);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = REAL(clock_gettime)(clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += jump();
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  int result = REAL(gettimeofday)(time, zone);
  if (result == 0) time->tv_sec += jump();
  return result;
}

time_t time(time_t *place) {
  time_t now = REAL(time)(NULL) + jump();
  if (place) *place = now;
  return now;
}
