/* postures_avx2.c: four doubles a register. */
#include "simd/postures.h"
#ifdef HIK_HAVE_X86
#include <immintrin.h>

#include "base/trig.h"
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
#define LANES 4
#define LANE_SQRT(x) ((x) = (lane)_mm256_sqrt_pd((__m256d)(x)))
#define LANE_BITS(m) ((uint32_t)_mm256_movemask_pd((__m256d)(m)))
#define KERNEL hik_postures_avx2
#include "simd/postures.inc.c"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
