/* postures_base.c: two doubles a register. */
#include "base/trig.h"
#include "simd/postures.h"
#define LANES 2
#if defined(__SSE2__)
#include <emmintrin.h>
#define LANE_SQRT(x) ((x) = (lane)_mm_sqrt_pd((__m128d)(x)))
#define LANE_BITS(m) ((uint32_t)_mm_movemask_pd((__m128d)(m)))
#else
#define LANE_SQRT(x) lane_sqrt(&(x))
#define LANE_BITS(m) ((uint32_t)(((m)[0] != 0) | ((m)[1] != 0) << 1))
#endif
#define KERNEL  hik_postures_base
#define NEAREST hik_nearest_base
#include "simd/postures.inc.c"
