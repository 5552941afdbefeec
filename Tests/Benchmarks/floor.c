// The least that it costs to fetch many files by libcurl: loops round one multi handle each, and nothing else. No retries,
// no state, no report, no manifest but a list of sums; any failure ends the program.
//
//   floor [--sums] [--loops N] [--handles N] [--cacert FILE] SUMS URL FOLDER
//
// SUMS has lines of `<sha256> <name>`; each name is fetched from URL/<name> into FOLDER. Plain, the bytes are written under
// the final name as they come. With --sums it does what nobody who promises whole files can leave out: the bytes go to a
// file without a name, are held against their sha256, get the server's time, and only then their name.
//
// cc -O2 -o floor floor.c -lcurl -lcrypto -lpthread
#define _GNU_SOURCE
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct entry {
  char *name;
  char *url;
  unsigned char sum[32];
};

struct slot {
  CURL *easy;
  EVP_MD_CTX *digest;
  const struct entry *entry;
  int file;
};

static struct entry *entries;
static size_t count;
static atomic_size_t next;
static int folder;
static int with_sums;
static int handles = 16;
static const char *authorities;
static EVP_MD *sha256;

static void fail(const char *what, const char *why) {
  fprintf(stderr, "floor: %s: %s\n", what, why);
  exit(1);
}

static void read_list(const char *path, const char *base) {
  FILE *list = fopen(path, "r");
  char *line = NULL;
  size_t room = 0, space = 0;
  if (!list) fail(path, strerror(errno));
  while (getline(&line, &room, list) > 0) {
    if (count == space) entries = realloc(entries, (space = space ? 2 * space : 1024) * sizeof *entries);
    if (!entries) fail(path, "out of memory");
    line[strcspn(line, "\n")] = 0;
    if (strlen(line) < 66) fail(path, "a line is not `<sha256> <name>`");
    struct entry *entry = &entries[count++];
    for (int i = 0; i < 32; i++) {
      unsigned byte;
      if (sscanf(line + 2 * i, "%2x", &byte) != 1) fail(path, "a line does not begin with a sha256");
      entry->sum[i] = (unsigned char)byte;
    }
    entry->name = strdup(line + 64 + strspn(line + 64, " "));
    if (!entry->name || asprintf(&entry->url, "%s/%s", base, entry->name) < 0) fail(path, "out of memory");
  }
  free(line);
  fclose(list);
}

static size_t take(char *bytes, size_t size, size_t number, void *context) {
  struct slot *slot = context;
  const char *rest = bytes;
  size_t left = size * number;
  if (slot->file < 0) {
    slot->file = with_sums ? openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666)
                           : openat(folder, slot->entry->name, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
    if (slot->file < 0) fail(slot->entry->name, strerror(errno));
  }
  if (with_sums) EVP_DigestUpdate(slot->digest, bytes, left);
  while (left > 0) {
    ssize_t written = write(slot->file, rest, left);
    if (written < 0) fail(slot->entry->name, strerror(errno));
    rest += written;
    left -= (size_t)written;
  }
  return size * number;
}

static void start(struct slot *slot, CURLM *multi, int *running) {
  size_t place = atomic_fetch_add(&next, 1);
  if (place >= count) return;
  slot->entry = &entries[place];
  slot->file = -1;
  if (with_sums) EVP_DigestInit_ex(slot->digest, sha256, NULL);
  curl_easy_setopt(slot->easy, CURLOPT_URL, slot->entry->url);
  curl_multi_add_handle(multi, slot->easy);
  (*running)++;
}

static void finish(struct slot *slot) {
  const char *name = slot->entry->name;
  if (slot->file < 0) fail(name, "it is empty");
  if (with_sums) {
    unsigned char sum[EVP_MAX_MD_SIZE];
    curl_off_t modified = -1;
    char path[32];
    EVP_DigestFinal_ex(slot->digest, sum, NULL);
    if (memcmp(sum, slot->entry->sum, sizeof slot->entry->sum) != 0) fail(name, "other bytes came");
    curl_easy_getinfo(slot->easy, CURLINFO_FILETIME_T, &modified);
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = modified}};
    if (modified >= 0 && futimens(slot->file, times) != 0) fail(name, strerror(errno));
    snprintf(path, sizeof path, "/proc/self/fd/%d", slot->file);
    if (linkat(slot->file, "", folder, name, AT_EMPTY_PATH) != 0 &&
        linkat(AT_FDCWD, path, folder, name, AT_SYMLINK_FOLLOW) != 0)
      fail(name, strerror(errno));
  }
  close(slot->file);
}

static void *loop(void *unused) {
  CURLM *multi = curl_multi_init();
  int running = 0, left = 0;
  curl_multi_setopt(multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 2L * handles);
  for (int i = 0; i < handles; i++) {
    struct slot *slot = calloc(1, sizeof *slot);
    if (!slot || !(slot->easy = curl_easy_init()) || !(slot->digest = EVP_MD_CTX_new())) fail("start", "out of memory");
    curl_easy_setopt(slot->easy, CURLOPT_PRIVATE, slot);
    curl_easy_setopt(slot->easy, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(slot->easy, CURLOPT_WRITEDATA, slot);
    curl_easy_setopt(slot->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(slot->easy, CURLOPT_PROXY, "");
    curl_easy_setopt(slot->easy, CURLOPT_FILETIME, 1L);
    curl_easy_setopt(slot->easy, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(slot->easy, CURLOPT_BUFFERSIZE, 512L << 10);
    if (authorities) {
      curl_easy_setopt(slot->easy, CURLOPT_CAINFO, authorities);
      curl_easy_setopt(slot->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
      curl_easy_setopt(slot->easy, CURLOPT_PIPEWAIT, 1L);
    }
    start(slot, multi, &running);
  }
  while (running > 0) {
    int ended = 0;
    curl_multi_perform(multi, &left);
    for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
      struct slot *slot;
      if (message->msg != CURLMSG_DONE) continue;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&slot);
      if (message->data.result != CURLE_OK) fail(slot->entry->url, curl_easy_strerror(message->data.result));
      curl_multi_remove_handle(multi, slot->easy);
      finish(slot);
      running--;
      start(slot, multi, &running);
      ended = 1;
    }
    if (running > 0 && !ended) curl_multi_poll(multi, NULL, 0, 1000, NULL);
  }
  return unused;
}

int main(int argc, char **argv) {
  int loops = 2, place = 1;
  for (; place < argc && strncmp(argv[place], "--", 2) == 0; place++) {
    if (strcmp(argv[place], "--sums") == 0) with_sums = 1;
    else if (place + 1 == argc) break;
    else if (strcmp(argv[place], "--loops") == 0) loops = atoi(argv[++place]);
    else if (strcmp(argv[place], "--handles") == 0) handles = atoi(argv[++place]);
    else if (strcmp(argv[place], "--cacert") == 0) authorities = argv[++place];
    else break;
  }
  if (argc - place != 3 || loops < 1 || loops > 64 || handles < 1) {
    fprintf(stderr, "usage: floor [--sums] [--loops N] [--handles N] [--cacert FILE] SUMS URL FOLDER\n");
    return 2;
  }
  curl_global_init(CURL_GLOBAL_ALL);
  sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
  read_list(argv[place], argv[place + 1]);
  folder = open(argv[place + 2], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) fail(argv[place + 2], strerror(errno));
  pthread_t threads[64];
  for (int i = 0; i < loops; i++)
    if (pthread_create(&threads[i], NULL, loop, NULL) != 0) fail("pthread_create", "no thread");
  for (int i = 0; i < loops; i++) pthread_join(threads[i], NULL);
  return 0;
}
