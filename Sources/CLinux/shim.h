// Linux calls that the Glibc module does not show to Swift, one `static inline` wrapper each. Every wrapper returns
// what the call returns (-1 with errno on failure) and nothing is retried or interpreted here.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <linux/openat2.h>

/// openat2(2): `resolve` is a set of RESOLVE_ flags.
static inline int mirror_openat2(int directory, const char *_Nonnull path, uint64_t flags, uint64_t mode,
                                 uint64_t resolve) {
  struct open_how how = {.flags = flags, .mode = mode, .resolve = resolve};
  return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

/// open(2) flag O_PATH, which the headers hide unless _GNU_SOURCE came first; the same number on every Linux.
static inline int mirror_o_path(void) { return 010000000; }

/// open(2) flag O_TMPFILE: a file without a name in the directory that is opened; the same number on every Linux.
static inline int mirror_o_tmpfile(void) { return 020000000 | O_DIRECTORY; }

/// linkat(2) flag AT_EMPTY_PATH: the first descriptor itself is meant, when its path is empty.
static inline int mirror_at_empty_path(void) { return 0x1000; }

/// The f_type of fstatfs(2), a number from <linux/magic.h>; 0 when it fails.
static inline uint64_t mirror_file_system(int descriptor) {
  struct statfs facts;
  return fstatfs(descriptor, &facts) == 0 ? (uint64_t)facts.f_type : 0;
}

/// getdents64(2): fills `buffer` with records (u64 inode, s64 offset, u16 length, u8 type, name, NUL).
static inline long mirror_getdents64(int directory, void *_Nonnull buffer, size_t length) {
  return syscall(SYS_getdents64, directory, buffer, length);
}

/// syncfs(2): writes out the file system that holds the open file.
static inline int mirror_syncfs(int descriptor) { return (int)syscall(SYS_syncfs, descriptor); }

// Of glibc 2.28, which hides it unless _GNU_SOURCE came first.
extern int renameat2(int, const char *, int, const char *, unsigned int);

// Of glibc 2.29, hidden in the same way; without <spawn.h>, whose fd_set is another one under _GNU_SOURCE than Swift's.
extern int posix_spawn_file_actions_addchdir_np(void *, const char *);

/// posix_spawn_file_actions_addchdir_np(3): the program starts in that folder. Takes a posix_spawn_file_actions_t; returns
/// an errno, 0 = done.
static inline int mirror_spawn_in(void *_Nonnull actions, const char *_Nonnull folder) {
  return posix_spawn_file_actions_addchdir_np(actions, folder);
}

/// renameat2(2): `flags` is a set of RENAME_ flags.
static inline int mirror_renameat2(int directory, const char *_Nonnull from, int target, const char *_Nonnull to,
                                   unsigned int flags) {
  return renameat2(directory, from, target, to, flags);
}

/// RENAME_EXCHANGE: both names stay and change places, in one step.
static inline unsigned int mirror_rename_exchange(void) { return 1u << 1; }

/// RENAME_NOREPLACE: fails with EEXIST where something stands.
static inline unsigned int mirror_rename_noreplace(void) { return 1u << 0; }

/// copy_file_range(2), both files from where they stand; shares the blocks where the file system can.
static inline long mirror_copy_file_range(int from, int to, size_t length) {
  return syscall(SYS_copy_file_range, from, (void *)0, to, (void *)0, length, 0u);
}
