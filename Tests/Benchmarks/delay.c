// A TCP proxy that puts a long way between two programs on one machine, where the kernel has no netem.
//
//   cc -O2 -o delay delay.c
//   delay [--ms 20] [--window 4194304] [--ready FILE] PORT      forwards to 127.0.0.1:PORT; its own port goes to FILE
//
// What it is like: every byte takes --ms milliseconds each way; a connection costs one way there and back before its
// first byte leaves; what a connection may have under way from the server grows as in slow start (RFC 5681, ten segments
// at first, doubled each time round) up to --window bytes, which is what Linux gives a receiver by default. So one
// connection carries at most window / (2 * ms), and several carry more.
// What it is not like: nothing is lost, nothing is slower than this machine, and a window does not shrink when idle.
//
// One thread; ended by a signal.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 128 << 10, FIRST_WINDOW = 14600, EVENTS = 256 };

struct link;

// One end of a connection, with what is to be written to it.
struct side {
  struct link *link;
  struct side *peer;
  int fd;
  uint32_t interest;
  struct chunk *first, *last; // due, not written yet
  int64_t last_due;           // of what was read from here: later bytes are never earlier
  int64_t under_way;          // read from here and not acknowledged
  int64_t window;
  int ended;                  // its end was read
};

struct link {
  struct side client, server;
  int references; // events in the heap
  int dead;
};

// Bytes on their way, or the news that they have arrived.
struct chunk {
  struct chunk *next;
  struct side *from;
  int64_t due;
  uint64_t order;
  int is_acknowledgement;
  size_t count, written; // no bytes = the end
  char bytes[];
};

static int epoll, port;
static int64_t delay = 20 * 1000000LL, widest = 4 << 20;
static struct chunk **heap;
static size_t heap_count, heap_room;
static uint64_t next_order;
// Memory of links that died while events of this turn may still name them.
static struct link *graves[EVENTS * 2];
static size_t grave_count;

static void fail(const char *what) {
  fprintf(stderr, "delay: %s: %s\n", what, strerror(errno));
  exit(1);
}

static void *room(void *old, size_t size) {
  void *memory = realloc(old, size);
  if (!memory) fail("memory");
  return memory;
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// The heap: the earliest first, and of one time the first that was put in.

static int is_earlier(const struct chunk *one, const struct chunk *other) {
  return one->due < other->due || (one->due == other->due && one->order < other->order);
}

static void push(struct chunk *chunk) {
  if (heap_count == heap_room) heap = room(heap, (heap_room = heap_room ? heap_room * 2 : 1024) * sizeof *heap);
  chunk->order = next_order++;
  chunk->from->link->references++;
  size_t place = heap_count++;
  while (place && is_earlier(chunk, heap[(place - 1) / 2])) {
    heap[place] = heap[(place - 1) / 2];
    place = (place - 1) / 2;
  }
  heap[place] = chunk;
}

static struct chunk *pop(void) {
  struct chunk *first = heap[0], *last = heap[--heap_count];
  size_t place = 0, child;
  while ((child = 2 * place + 1) < heap_count) {
    if (child + 1 < heap_count && is_earlier(heap[child + 1], heap[child])) child++;
    if (!is_earlier(heap[child], last)) break;
    heap[place] = heap[child];
    place = child;
  }
  heap[place] = last;
  first->from->link->references--;
  return first;
}

static void watch(struct side *side, int operation) {
  uint32_t interest = side->first ? EPOLLOUT : 0;
  if (!side->ended && side->under_way < side->window) interest |= EPOLLIN;
  if (operation == EPOLL_CTL_MOD && interest == side->interest) return;
  struct epoll_event event = {.events = interest, .data.ptr = side};
  if (epoll_ctl(epoll, operation, side->fd, &event)) fail("epoll_ctl");
  side->interest = interest;
}

static void bury(struct link *link) {
  if (link->references || grave_count == sizeof graves / sizeof *graves) return;
  graves[grave_count++] = link;
}

static void end(struct link *link) {
  if (link->dead) return;
  link->dead = 1;
  struct side *sides[] = {&link->client, &link->server};
  for (int i = 0; i < 2; i++) {
    close(sides[i]->fd);
    for (struct chunk *chunk = sides[i]->first, *next; chunk; chunk = next) {
      next = chunk->next;
      free(chunk);
    }
    sides[i]->first = NULL;
  }
  bury(link);
}

// Writes what is due to one side.
static void flush(struct side *side) {
  while (side->first) {
    struct chunk *chunk = side->first;
    if (chunk->count == 0) {
      shutdown(side->fd, SHUT_WR);
    } else {
      ssize_t count = write(side->fd, chunk->bytes + chunk->written, chunk->count - chunk->written);
      if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
      if (count < 0) return end(side->link);
      chunk->written += (size_t)count;
      if (chunk->written < chunk->count) break;
    }
    side->first = chunk->next;
    if (!side->first) side->last = NULL;
    int is_over = chunk->count == 0;
    // The news of their arrival goes back; it carries no bytes.
    int64_t due = now() + delay;
    struct side *from = chunk->from;
    chunk->is_acknowledgement = 1;
    chunk->due = due;
    push(chunk);
    if (is_over && from->ended && side->ended && !side->first && !from->first && !from->under_way) {
      return end(side->link);
    }
  }
  watch(side, EPOLL_CTL_MOD);
}

static void receive(struct side *side) {
  static char buffer[CHUNK];
  int64_t allowed = side->window - side->under_way;
  if (side->ended || allowed <= 0) return;
  ssize_t count = read(side->fd, buffer, allowed < CHUNK ? (size_t)allowed : CHUNK);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count < 0) return end(side->link);
  struct chunk *chunk = room(NULL, sizeof *chunk + (size_t)count);
  *chunk = (struct chunk){.from = side, .count = (size_t)count};
  memcpy(chunk->bytes, buffer, (size_t)count);
  int64_t due = now() + delay;
  chunk->due = side->last_due = due > side->last_due ? due : side->last_due;
  side->under_way += count;
  side->ended = count == 0;
  push(chunk);
  watch(side, EPOLL_CTL_MOD);
}

// Something has arrived, after its time on the way.
static void arrive(struct chunk *chunk) {
  struct side *from = chunk->from, *to = from->peer;
  struct link *link = from->link;
  if (link->dead) {
    free(chunk);
    return bury(link);
  }
  if (chunk->is_acknowledgement) {
    from->under_way -= (int64_t)chunk->count;
    from->window += (int64_t)chunk->count;
    if (from->window > widest) from->window = widest;
    free(chunk);
    if (from->ended && to->ended && !from->first && !to->first && !from->under_way && !to->under_way) return end(link);
    return watch(from, EPOLL_CTL_MOD);
  }
  chunk->next = NULL;
  if (to->last) to->last->next = chunk; else to->first = chunk;
  to->last = chunk;
  flush(to);
}

static void accept_one(int listener) {
  int client = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (client < 0) return;
  int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (server < 0 || connect(server, (struct sockaddr *)&address, sizeof address)) {
    close(client);
    if (server >= 0) close(server);
    return;
  }
  fcntl(server, F_SETFL, O_NONBLOCK);
  setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  struct link *link = room(NULL, sizeof *link);
  *link = (struct link){0};
  link->client = (struct side){.link = link, .peer = &link->server, .fd = client, .window = widest};
  link->server = (struct side){.link = link, .peer = &link->client, .fd = server, .window = FIRST_WINDOW};
  // Here a connection is made at once: what the client says waits for as long as its greeting would have taken.
  link->client.last_due = now() + 3 * delay;
  watch(&link->client, EPOLL_CTL_ADD);
  watch(&link->server, EPOLL_CTL_ADD);
}

static int listen_somewhere(const char *ready) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) || listen(listener, 1024)
      || getsockname(listener, (struct sockaddr *)&address, &length)) fail("listen");
  FILE *file = ready ? fopen(ready, "w") : stdout;
  if (!file || fprintf(file, "%d\n", ntohs(address.sin_port)) < 0 || fflush(file)) fail("say the port");
  if (ready) fclose(file);
  return listener;
}

static void read_arguments(int count, char **words, const char **ready) {
  for (int i = 1; i < count; i++) {
    if (!strcmp(words[i], "--ms") && i + 1 < count) delay = (int64_t)(atof(words[++i]) * 1e6);
    else if (!strcmp(words[i], "--window") && i + 1 < count) widest = atoll(words[++i]);
    else if (!strcmp(words[i], "--ready") && i + 1 < count) *ready = words[++i];
    else port = atoi(words[i]);
  }
  if (port <= 0 || delay < 0 || widest < FIRST_WINDOW) {
    fprintf(stderr, "usage: delay [--ms N] [--window BYTES] [--ready FILE] PORT\n");
    exit(2);
  }
}

int main(int count, char **words) {
  const char *ready = NULL;
  read_arguments(count, words, &ready);
  signal(SIGPIPE, SIG_IGN);
  if ((epoll = epoll_create1(EPOLL_CLOEXEC)) < 0) fail("epoll_create1");
  int listener = listen_somewhere(ready);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL}, events[EVENTS];
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event)) fail("epoll_ctl");
  for (;;) {
    int64_t wait = heap_count ? heap[0]->due - now() : 1000000000LL;
    struct timespec pause = {wait > 0 ? wait / 1000000000LL : 0, wait > 0 ? wait % 1000000000LL : 0};
    int found = epoll_pwait2(epoll, events, EVENTS, &pause, NULL);
    if (found < 0 && errno != EINTR) fail("epoll_pwait2");
    for (int i = 0; i < found; i++) {
      struct side *side = events[i].data.ptr;
      if (!side) { accept_one(listener); continue; }
      if (!side->link->dead && events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) receive(side);
      if (!side->link->dead && events[i].events & EPOLLOUT) flush(side);
    }
    while (heap_count && heap[0]->due <= now()) arrive(pop());
    while (grave_count) free(graves[--grave_count]);
  }
}
