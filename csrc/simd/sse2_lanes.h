/* sse2_lanes.h: what simd/lanes.inc.c needs for two doubles a register. Before each inclusion of it: no guard. */
#include <emmintrin.h>
#define LANES          2
#define LANE_SQRT(x)   ((x) = (lane)_mm_sqrt_pd((__m128d)(x)))
#define LANE_MAX(x, y) ((lane)_mm_max_pd((__m128d)(x), (__m128d)(y)))
#define LANE_MIN(x, y) ((lane)_mm_min_pd((__m128d)(x), (__m128d)(y)))
#define THIN_SQRT(x)   ((x) = (thin)_mm_sqrt_ps((__m128)(x)))
#define LANE_BITS(m)   ((uint32_t)_mm_movemask_pd((__m128d)(m)))
#define THIN_BITS(m)   ((uint32_t)_mm_movemask_ps((__m128)(m)))
