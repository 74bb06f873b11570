/* lowered.h: the AVX-512 instructions that simd/lanes.h names, in plain C, so that isa_avx512.c and pair_avx512.c compile
   for a processor without them: the compiler lowers their vectors of 64 bytes to the registers it has. Included before
   those two files by tests/_machines.py (machine "lowered"). Where the manual leaves nothing open these do as it says; a
   stream to an address that is no multiple of 64, which faults there, stops here. */
#pragma once
#include <math.h>
#include <stdlib.h>

#include "simd/target.h"
#undef HIK_TARGET
#undef HIK_TARGET_END
#define HIK_TARGET(names)
#define HIK_TARGET_END

typedef double low_pd __attribute__((vector_size(64)));
typedef float low_ps __attribute__((vector_size(64)));
typedef int64_t low_epi64 __attribute__((vector_size(64)));
typedef int32_t low_epi32 __attribute__((vector_size(64)));

static inline low_pd low_sqrt_pd(low_pd x) {
  for (int i = 0; i < 8; i++) x[i] = sqrt(x[i]);
  return x;
}

static inline low_ps low_sqrt_ps(low_ps x) {
  for (int i = 0; i < 16; i++) x[i] = sqrtf(x[i]);
  return x;
}

/* The second where either is NaN and where both are zero. */
static inline low_pd low_max_pd(low_pd x, low_pd y) {
  for (int i = 0; i < 8; i++) x[i] = x[i] > y[i] ? x[i] : y[i];
  return x;
}

static inline low_pd low_min_pd(low_pd x, low_pd y) {
  for (int i = 0; i < 8; i++) x[i] = x[i] < y[i] ? x[i] : y[i];
  return x;
}

static inline low_ps low_max_ps(low_ps x, low_ps y) {
  for (int i = 0; i < 16; i++) x[i] = x[i] > y[i] ? x[i] : y[i];
  return x;
}

static inline low_ps low_min_ps(low_ps x, low_ps y) {
  for (int i = 0; i < 16; i++) x[i] = x[i] < y[i] ? x[i] : y[i];
  return x;
}

/* The sign bits of the lanes. */
static inline uint32_t low_signs_64(low_epi64 mask) {
  uint32_t bits = 0;
  for (int i = 0; i < 8; i++) bits |= (uint32_t)(mask[i] < 0) << i;
  return bits;
}

static inline uint32_t low_signs_32(low_epi32 mask) {
  uint32_t bits = 0;
  for (int i = 0; i < 16; i++) bits |= (uint32_t)(mask[i] < 0) << i;
  return bits;
}

static inline void low_stream_pd(double *to, low_pd x) {
  if ((uintptr_t)to % 64) abort();
  *(low_pd *)(void *)to = x;
}

#undef _mm512_cmp_pd_mask
#undef _mm512_cmp_ps_mask
#define __m512d                               low_pd
#define __m512                                low_ps
#define __m512i                               low_epi64
#define _mm512_sqrt_pd(x)                     low_sqrt_pd(x)
#define _mm512_sqrt_ps(x)                     low_sqrt_ps(x)
#define _mm512_max_pd(x, y)                   low_max_pd(x, y)
#define _mm512_min_pd(x, y)                   low_min_pd(x, y)
#define _mm512_max_ps(x, y)                   low_max_ps(x, y)
#define _mm512_min_ps(x, y)                   low_min_ps(x, y)
#define _mm512_movepi64_mask(m)               low_signs_64(m)
#define _mm512_movepi32_mask(m)               low_signs_32((low_epi32)(m))
#define _mm512_set1_pd(x)                     (x)
#define _mm512_set1_ps(x)                     ((float)(x))
#define _mm512_cmp_pd_mask(x, than, relation) low_signs_64((low_epi64)((x)LOW_##relation(than)))
#define _mm512_cmp_ps_mask(x, than, relation) low_signs_32((low_epi32)((x)LOW_##relation(than)))
#define LOW__CMP_LT_OQ                        < /* no other relations are known */
#define LOW__CMP_LE_OQ                        <=
#define _mm512_stream_pd(to, x)               low_stream_pd(to, x)
