/* postures_avx512.c: eight doubles a register. */
#include "simd/postures.h"
#ifdef HIK_HAVE_X86
#include <immintrin.h>

#include "base/trig.h"
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl")
#endif
#define LANES 8
#define LANE_SQRT(x) ((x) = (lane)_mm512_sqrt_pd((__m512d)(x)))
#define LANE_BITS(m) ((uint32_t)_mm512_movepi64_mask((__m512i)(m)))
#define KERNEL hik_postures_avx512
#include "simd/postures.inc.c"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
