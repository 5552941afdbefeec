/* Makes a file system look as if it did not tell `.MIRROR` from `.mirror`, for tests: loaded with LD_PRELOAD. That is all that
 * a program asks that wants to know whether names that differ in case are one; everything else is as it was.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <sys/stat.h>

int fstatat(int folder, const char *restrict path, struct stat *restrict status, int flags) {
  static int (*next)(int, const char *restrict, struct stat *restrict, int);
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, "fstatat");
  return next(folder, strcmp(path, ".MIRROR") == 0 ? ".mirror" : path, status, flags);
}
