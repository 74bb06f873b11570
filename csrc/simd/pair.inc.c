/* pair.inc.c: the descent two starts at a time, for a single problem: half a register or less waits less for its
   divisions and square roots than a whole one. Same bytes. The including file defines HIK_PAIR (name of the table)
   and sets the target. */
#define LANES          2
#define LANE_SQRT(x)   ((x) = (lane)_mm_sqrt_pd((__m128d)(x)))
#define LANE_MAX(x, y) ((lane)_mm_max_pd((__m128d)(x), (__m128d)(y)))
#define LANE_MIN(x, y) ((lane)_mm_min_pd((__m128d)(x), (__m128d)(y)))
#define THIN_SQRT(x)   ((x) = (thin)_mm_sqrt_ps((__m128)(x)))
#define LANE_BITS(m)   ((uint32_t)_mm_movemask_pd((__m128d)(m)))
#define THIN_BITS(m)   ((uint32_t)_mm_movemask_ps((__m128)(m)))
#include "simd/lanes.inc.c"

#include "simd/descent.inc.c"

#include "simd/stretch.inc.c"

const hik_descent_kernels HIK_PAIR = {LANES, descent_step, map_scan, map_nearest, stretch_step};
