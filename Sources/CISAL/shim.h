// ISA-L's CRC-32C, and its gzip decoder behind a handle: `struct inflate_state` is 90 KiB of tables and buffers, which
// Swift neither needs to see nor could copy cheaply.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

/// CRC-32C (Castagnoli) of `length` bytes, continued from the finished value `crc` (0 to begin). ISA-L neither seeds
/// nor inverts, and takes a mutable pointer and an `int` length: this hides all three.
static inline uint32_t mirror_crc32c(uint32_t crc, const void *bytes, size_t length) {
  const unsigned char *at = (const unsigned char *)bytes;
  uint32_t state = ~crc;
  while (length > 0) {
    int step = length > (1u << 30) ? (1 << 30) : (int)length;
    state = crc32_iscsi((unsigned char *)at, step, state);
    at += step;
    length -= (size_t)step;
  }
  return ~state;
}

/// The decoder of what follows the header of one gzip member: deflate data, then the CRC-32 and the length of what they
/// hold (RFC 1952 section 2.3). Really a `struct inflate_state`.
///
/// ISA-L reads headers too (`ISAL_GZIP`), but release 2.30 refuses a right header checksum (FHCRC) when the header comes
/// in more than one piece, and a network does as it likes with the pieces.
typedef struct mirror_gunzip mirror_gunzip;

/// What one call of `mirror_gunzip_step` did.
typedef struct mirror_gunzip_progress {
  /// `ISAL_DECOMP_OK`, or what is wrong with the bytes (`ISAL_INVALID_BLOCK` and others).
  int code;
  size_t taken;
  size_t written;
  /// Whether the member ended: all of it was written, and the CRC-32 and the length after it were right.
  bool has_ended;
} mirror_gunzip_progress;

/// Makes ready for the next member.
static inline void mirror_gunzip_reset(mirror_gunzip *handle) {
  struct inflate_state *state = (struct inflate_state *)handle;
  isal_inflate_init(state);
  state->crc_flag = ISAL_GZIP_NO_HDR_VER;
}

/// NULL when there is no memory; given back with `mirror_gunzip_free`.
static inline mirror_gunzip *mirror_gunzip_make(void) {
  mirror_gunzip *handle = (mirror_gunzip *)calloc(1, sizeof(struct inflate_state));
  if (handle) mirror_gunzip_reset(handle);
  return handle;
}

static inline void mirror_gunzip_free(mirror_gunzip *handle) { free(handle); }

/// Decodes some of `input` into `output`. Ends when the member ends, the input is used up, or the output is full: then
/// more may wait inside, so call again, with no input if need be, until a call leaves room.
static inline mirror_gunzip_progress mirror_gunzip_step(
    mirror_gunzip *handle, const void *input, size_t length, void *output, size_t room) {
  struct inflate_state *state = (struct inflate_state *)handle;
  uint32_t given = length > (1u << 30) ? (1u << 30) : (uint32_t)length;
  uint32_t space = room > (1u << 30) ? (1u << 30) : (uint32_t)room;
  state->next_in = (uint8_t *)input;
  state->avail_in = given;
  state->next_out = (uint8_t *)output;
  state->avail_out = space;
  mirror_gunzip_progress progress;
  progress.code = isal_inflate(state);
  progress.taken = given - state->avail_in;
  progress.written = space - state->avail_out;
  progress.has_ended = progress.code == ISAL_DECOMP_OK && state->block_state == ISAL_BLOCK_FINISH;
  return progress;
}
