// Linux calls that the Glibc module does not show to Swift, one `static inline` wrapper each. Every wrapper returns what
// the call returns (-1 with errno on failure) and nothing is retried or interpreted here.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/openat2.h>

/// openat2(2): `resolve` is a set of RESOLVE_ flags.
static inline int mirror_openat2(int directory, const char *path, uint64_t flags, uint64_t mode,
                                 uint64_t resolve) {
  struct open_how how = {.flags = flags, .mode = mode, .resolve = resolve};
  return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}
