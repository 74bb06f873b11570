/* memory.h: the one door to the allocator, and blocks that hold several arrays. */
#pragma once
#include "base/base.h"

/* NULL when there is no memory. Memory is zeroed and aligned to 64 bytes. */
void *hik_allocate(size_t size);
/* The same with anything in it. */
void *hik_allocate_raw(size_t size);
/* NULL is allowed. */
void hik_release(void *memory);

/* Lays arrays out in one block: first run with base == NULL counts, second run with the memory hands out.
   `bad` tells that a size did not fit. */
typedef struct hik_block {
  char *base;
  size_t size;
  bool bad;
} hik_block;

/* count items of `size` bytes, aligned to 64 bytes; NULL while counting. A count has 64 bits wherever size_t has fewer: what
   an int64_t counts, and a product of two int32_t, is refused and not cut off. A negative one is refused too. */
void *hik_block_take(hik_block *block, uint64_t count, size_t size);
#define HIK_TAKE(block, type, count) ((type *)hik_block_take((block), (uint64_t)(count), sizeof(type)))
/* Several arrays of as many doubles, or int32_t, by the addresses of their pointers; as a list it ends with NULL. */
void hik_block_doubles(hik_block *block, uint64_t count, double **const *out);
void hik_block_ints(hik_block *block, uint64_t count, int32_t **const *out);
#define HIK_TAKE_DOUBLES(block, count, ...)                                                                  \
  hik_block_doubles((block), (uint64_t)(count), (double **const[]){__VA_ARGS__, NULL})
#define HIK_TAKE_INTS(block, count, ...)                                                                     \
  hik_block_ints((block), (uint64_t)(count), (int32_t * *const[]){__VA_ARGS__, NULL})
