/* failing.h: an allocator that fails at a chosen call and counts what lives. */
#pragma once
#include <stdlib.h>

typedef struct counter {
  int live, left;
} counter;

static void *failing_alloc(void *context, size_t size) {
  counter *c = context;
  if (c->left-- == 0) return NULL;
  void *memory = malloc(size);
  if (memory) c->live++;
  return memory;
}

static void failing_free(void *context, void *memory, size_t size) {
  (void)size;
  ((counter *)context)->live--;
  free(memory);
}
