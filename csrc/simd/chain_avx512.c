/* chain_avx512.c: eight doubles a register. */
#include "simd/chain.h"
#include "simd/kernels.h"
#ifdef HIK_HAVE_X86
#include "simd/avx512_begin.h"
#define LANES              8
#define LANE_SQRT(x)       ((x) = (lane)_mm512_sqrt_pd((__m512d)(x)))
#define LANE_MAX(x, y)     ((lane)_mm512_max_pd((__m512d)(x), (__m512d)(y)))
#define LANE_MIN(x, y)     ((lane)_mm512_min_pd((__m512d)(x), (__m512d)(y)))
#define THIN_SQRT(x)       ((x) = (thin)_mm512_sqrt_ps((__m512)(x)))
#define LANE_BITS(m)       ((uint32_t)_mm512_movepi64_mask((__m512i)(m)))
#define THIN_BITS(m)       ((uint32_t)_mm512_movepi32_mask((__m512i)(m)))
#define LANE_STREAM(to, x) _mm512_stream_pd(to, (__m512d)(x))
#define KERNELS            hik_chain_avx512
#define PAIR_KERNELS       hik_pair_avx512
#include "simd/chain.inc.c"
#include "simd/target_end.h"
#endif
