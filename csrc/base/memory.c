/* memory.c: see memory.h. A header before each block keeps what the allocator returned and its size. */
#include "base/memory.h"

#include <stdlib.h>

enum { ALIGN = 64 };

typedef struct header {
  void *raw;
  size_t size;
} header;

static void *default_alloc(void *context, size_t size) {
  (void)context;
  return malloc(size);
}

static void default_free(void *context, void *memory, size_t size) {
  (void)context;
  (void)size;
  free(memory);
}

static hik_alloc_fn *alloc_fn = default_alloc;
static hik_free_fn *free_fn = default_free;
static void *alloc_context;

void hik_set_allocator(hik_alloc_fn *alloc, hik_free_fn *release, void *context) {
  alloc_fn = alloc && release ? alloc : default_alloc;
  free_fn = alloc && release ? release : default_free;
  alloc_context = context;
}

void *hik_allocate_raw(size_t size) {
  size_t whole;
  if (!hik_add(size, ALIGN + sizeof(header), &whole)) return NULL;
  char *raw = alloc_fn(alloc_context, whole);
  if (!raw) return NULL;
  uintptr_t at = ((uintptr_t)raw + sizeof(header) + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1);
  header h = {raw, whole};
  memcpy((char *)at - sizeof h, &h, sizeof h);
  return (void *)at;
}

void *hik_allocate(size_t size) {
  void *memory = hik_allocate_raw(size);
  return memory ? memset(memory, 0, size) : NULL;
}

void hik_release(void *memory) {
  if (!memory) return;
  header h;
  memcpy(&h, (char *)memory - sizeof h, sizeof h);
  free_fn(alloc_context, h.raw, h.size);
}

void *hik_block_take(hik_block *block, uint64_t count, size_t size) {
  size_t bytes, end;
  if (count > SIZE_MAX || !hik_mul((size_t)count, size, &bytes) || !hik_add(bytes, ALIGN - 1, &bytes) ||
      !hik_add(block->size, bytes & ~(size_t)(ALIGN - 1), &end)) {
    block->bad = true;
    return NULL;
  }
  void *at = block->base ? block->base + block->size : NULL;
  block->size = end;
  return at;
}

void hik_block_doubles(hik_block *block, uint64_t count, double **const *out) {
  for (; *out; out++) **out = HIK_TAKE(block, double, count);
}

void hik_block_ints(hik_block *block, uint64_t count, int32_t **const *out) {
  for (; *out; out++) **out = HIK_TAKE(block, int32_t, count);
}
