/* dispatch.c: asks the processor (and the operating system, which must save the registers) what it has.
   By hand, because the compiler's builtin for it answers "no" under some tool chains. */
#include <stdatomic.h>

#include "simd/kernels.h"

#ifdef HIK_HAVE_X86
#include <cpuid.h>

static uint64_t saved_registers(void) {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

static const hik_kernels *best(void) {
  uint32_t a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return &hik_kernels_base;
  uint64_t saved = saved_registers();
  if ((saved & 6) != 6 || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX2))
    return &hik_kernels_base;
  uint32_t wide = bit_AVX512F | bit_AVX512DQ | bit_AVX512VL;
  return (saved & 0xe6) == 0xe6 && (b & wide) == wide ? &hik_kernels_avx512 : &hik_kernels_avx2;
}

static const hik_kernels *const sets[] = {&hik_kernels_base, &hik_kernels_avx2, &hik_kernels_avx512};
#else
static const hik_kernels *best(void) { return &hik_kernels_base; }

static const hik_kernels *const sets[] = {&hik_kernels_base};
#endif

static _Atomic(const hik_kernels *) in_use;

const hik_kernels *hik_kernels_in_use(void) {
  const hik_kernels *k = atomic_load_explicit(&in_use, memory_order_relaxed);
  if (!k) atomic_store(&in_use, k = best());
  return k;
}

hik_near_fn *hik_near_points(void) { return hik_kernels_in_use()->scene->points; }

const char *hik_simd(void) { return hik_kernels_in_use()->name; }

bool hik_simd_select(const char *name) {
  const hik_kernels *most = best(), *chosen = strcmp(name, "auto") == 0 ? most : NULL;
  for (int32_t i = 0; i < HIK_COUNT_OF(sets) && !chosen; i++) {
    /* "base" is the first set by any name: a script says it without asking what machine it runs on */
    if (strcmp(name, sets[i]->name) == 0 || (i == 0 && strcmp(name, "base") == 0)) chosen = sets[i];
    if (sets[i] == most) break; /* the next ones are more than this processor has */
  }
  if (chosen) atomic_store(&in_use, chosen);
  return chosen != NULL;
}
