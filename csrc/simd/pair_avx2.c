/* pair_avx2.c: the descent two starts at a time, for a single problem: half a register or less waits less for its
   divisions and square roots than a whole one. Same bytes. */
#include "simd/chain.h"
#include "simd/kernels.h"
#ifdef HIK_HAVE_X86
#include <immintrin.h>

#include "base/trig.h"
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
#define LANES 2
#define LANE_SQRT(x) ((x) = (lane)_mm_sqrt_pd((__m128d)(x)))
#define THIN_SQRT(x) ((x) = (thin)_mm_sqrt_ps((__m128)(x)))
#define LANE_BITS(m) ((uint32_t)_mm_movemask_pd((__m128d)(m)))
#include "simd/lanes.inc.c"

#include "simd/descent.inc.c"

#include "simd/stretch.inc.c"

const hik_descent_kernels hik_pair_avx2 = {LANES, descent_step, map_scan, stretch_step};
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
