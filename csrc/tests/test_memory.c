/* test_memory.c: base/memory.c. */
#include "base/memory.h"

#include <stdlib.h>

#include "check.h"

/* An allocator that counts, and that fails when told to. */
typedef struct counter {
  int live, calls;
  size_t bytes; /* live */
  bool fail;
} counter;

static void *counting_alloc(void *context, size_t size) {
  counter *c = context;
  c->calls++;
  if (c->fail) return NULL;
  void *memory = malloc(size);
  if (memory) c->live++, c->bytes += size, memset(memory, 0xa5, size);
  return memory;
}

static void counting_free(void *context, void *memory, size_t size) {
  counter *c = context;
  c->live--, c->bytes -= size;
  free(memory);
}

static void test_memory_is_zeroed_and_aligned(void) {
  counter c = {0};
  hik_set_allocator(counting_alloc, counting_free, &c); /* fills with 0xa5: zeros must be written */
  static const size_t size[] = {0, 1, 7, 63, 64, 65, 1000, 1 << 20};
  for (int i = 0; i < HIK_COUNT_OF(size); i++) {
    unsigned char *memory = hik_allocate(size[i]);
    CHECK(memory != NULL && (uintptr_t)memory % 64 == 0);
    bool zero = true;
    for (size_t k = 0; memory && k < size[i]; k++) zero = zero && memory[k] == 0;
    CHECK(zero);
    if (memory) memset(memory, 1, size[i]); /* under AddressSanitizer: all of it is ours */
    hik_release(memory);
  }
  CHECK(c.calls == HIK_COUNT_OF(size) && c.live == 0 && c.bytes == 0);
  hik_set_allocator(NULL, NULL, NULL);
}

static void test_release_gives_back_what_the_allocator_gave(void) {
  counter c = {0};
  hik_set_allocator(counting_alloc, counting_free, &c);
  void *a = hik_allocate(100), *b = hik_allocate(200);
  CHECK(c.live == 2 && c.bytes >= 300);
  hik_release(a);
  CHECK(c.live == 1);
  hik_release(b);
  hik_release(NULL);
  CHECK(c.live == 0 && c.bytes == 0);
  hik_set_allocator(NULL, NULL, NULL);
}

static void test_no_memory_is_null(void) {
  counter c = {.fail = true};
  hik_set_allocator(counting_alloc, counting_free, &c);
  CHECK(hik_allocate(16) == NULL && c.calls == 1);
  CHECK(hik_allocate(SIZE_MAX) == NULL);
  CHECK(hik_allocate(SIZE_MAX - 64) == NULL);
  CHECK(c.calls == 1); /* a size that cannot hold its header never reaches the allocator */
  hik_set_allocator(NULL, NULL, NULL);
}

static void test_half_an_allocator_is_none(void) {
  counter c = {0};
  hik_set_allocator(counting_alloc, NULL, &c);
  void *memory = hik_allocate(8);
  CHECK(memory != NULL && c.calls == 0);
  hik_release(memory);
  hik_set_allocator(NULL, NULL, NULL);
}

typedef struct laid {
  double *numbers;
  int32_t *indices;
  char *letters;
} laid;

static laid lay(hik_block *block, size_t n) {
  laid out;
  out.numbers = HIK_TAKE(block, double, n);
  out.indices = HIK_TAKE(block, int32_t, n);
  out.letters = HIK_TAKE(block, char, n);
  return out;
}

static void test_a_block_counts_then_hands_out(void) {
  for (size_t n = 0; n < 70; n++) {
    hik_block count = {NULL, 0, false};
    laid none = lay(&count, n);
    CHECK(!count.bad && none.numbers == NULL && none.indices == NULL && none.letters == NULL);
    CHECK(count.size % 64 == 0 && count.size >= n * 13);
    hik_block block = {hik_allocate(count.size), 0, false};
    CHECK(block.base != NULL);
    if (!block.base) return;
    laid out = lay(&block, n);
    CHECK(block.size == count.size && !block.bad);
    CHECK((uintptr_t)out.indices % 64 == 0 && (uintptr_t)out.letters % 64 == 0);
    for (size_t i = 0; i < n; i++) out.numbers[i] = 1, out.indices[i] = 2, out.letters[i] = 3;
    for (size_t i = 0; i < n; i++) CHECK(out.numbers[i] == 1 && out.indices[i] == 2 && out.letters[i] == 3);
    hik_release(block.base);
  }
}

static void test_a_block_tells_sizes_that_do_not_fit(void) {
  hik_block block = {NULL, 0, false};
  CHECK(hik_block_take(&block, SIZE_MAX / 4, 8) == NULL && block.bad); /* product */
  block = (hik_block){NULL, 0, false};
  CHECK(hik_block_take(&block, SIZE_MAX, 1) == NULL && block.bad); /* rounding up */
  block = (hik_block){NULL, 0, false};
  hik_block_take(&block, SIZE_MAX / 2, 1);
  CHECK(!block.bad);
  hik_block_take(&block, SIZE_MAX / 2, 1);
  hik_block_take(&block, 1000, 1);
  CHECK(block.bad); /* sum */
  hik_block_take(&block, 1, 1);
  CHECK(block.bad); /* and it stays told */
}

static void test_a_block_keeps_all_bits_of_a_count(void) {
  hik_block block = {NULL, 0, false};
  HIK_TAKE(&block, char, ((int64_t)1 << 32) + 1); /* where size_t has 32 bits it is not 1 */
  CHECK(block.bad || block.size > UINT32_MAX);
  block = (hik_block){NULL, 0, false};
  HIK_TAKE(&block, double, (uint64_t)65536 * 65536); /* and this not 0 */
  CHECK(block.bad || block.size / 8 > UINT32_MAX);
  block = (hik_block){NULL, 0, false};
  int32_t negative = -1;
  HIK_TAKE(&block, double, negative);
  CHECK(block.bad);
  block = (hik_block){NULL, 0, false};
  HIK_TAKE(&block, int32_t, UINT64_MAX);
  CHECK(block.bad);
}

static void test_checked_sizes(void) {
  size_t out = 0;
  CHECK(hik_mul(6, 7, &out) && out == 42);
  CHECK(hik_mul(0, SIZE_MAX, &out) && out == 0);
  CHECK(hik_mul(SIZE_MAX, 1, &out) && out == SIZE_MAX);
  CHECK(!hik_mul(SIZE_MAX / 2 + 1, 2, &out));
  CHECK(hik_add(SIZE_MAX - 1, 1, &out) && out == SIZE_MAX);
  CHECK(!hik_add(SIZE_MAX, 1, &out));
}

int main(int argc, char **argv) {
  CHECK_BEGIN(argc, argv);
  RUN(test_memory_is_zeroed_and_aligned);
  RUN(test_release_gives_back_what_the_allocator_gave);
  RUN(test_no_memory_is_null);
  RUN(test_half_an_allocator_is_none);
  RUN(test_a_block_counts_then_hands_out);
  RUN(test_a_block_tells_sizes_that_do_not_fit);
  RUN(test_a_block_keeps_all_bits_of_a_count);
  RUN(test_checked_sizes);
  CHECK_END();
}
