/* chain_base.c: two doubles a register. */
#include "base/trig.h"
#include "simd/chain.h"
#include "simd/kernels.h"
#define LANES 2
#if defined(__SSE2__)
#include <emmintrin.h>
#define LANE_SQRT(x)   ((x) = (lane)_mm_sqrt_pd((__m128d)(x)))
#define LANE_MAX(x, y) ((lane)_mm_max_pd((__m128d)(x), (__m128d)(y)))
#define LANE_MIN(x, y) ((lane)_mm_min_pd((__m128d)(x), (__m128d)(y)))
#define THIN_SQRT(x)   ((x) = (thin)_mm_sqrt_ps((__m128)(x)))
#define LANE_BITS(m)   ((uint32_t)_mm_movemask_pd((__m128d)(m)))
#define THIN_BITS(m)   ((uint32_t)_mm_movemask_ps((__m128)(m)))
#else
#define LANE_SQRT(x)   lane_sqrt(&(x))
#define LANE_MAX(x, y) lane_choose((x) > (y), x, y)
#define LANE_MIN(x, y) lane_choose((x) < (y), x, y)
#define THIN_SQRT(x)                                                                                         \
  do                                                                                                         \
    for (int lane_ = 0; lane_ < THIN; lane_++) (x)[lane_] = sqrtf((x)[lane_]);                               \
  while (0)
#define LANE_BITS(m) ((uint32_t)(((m)[0] != 0) | ((m)[1] != 0) << 1))
#define THIN_BITS(m)                                                                                         \
  ((uint32_t)(((m)[0] != 0) | ((m)[1] != 0) << 1 | ((m)[2] != 0) << 2 | ((m)[3] != 0) << 3))
#endif
#define KERNELS hik_chain_base
#include "simd/chain.inc.c"
