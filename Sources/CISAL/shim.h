// ISA-L's CRC-32C.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <isa-l/crc.h>

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
