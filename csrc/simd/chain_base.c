/* chain_base.c: two doubles a register; one at a time where the compiler has no vectors. */
#include "simd/chain.h"
#include "base/trig.h"
#include "simd/kernels.h"
#if defined(__GNUC__)
#define LANES 2
#else
#define LANES 1
#endif
#if defined(__SSE2__)
#include <emmintrin.h>
#define LANE_SQRT(x) ((x) = (lane)_mm_sqrt_pd((__m128d)(x)))
#define LANE_BITS(m) ((uint32_t)_mm_movemask_pd((__m128d)(m)))
#elif LANES == 2
#define LANE_SQRT(x) lane_sqrt(&(x))
#define LANE_BITS(m) ((uint32_t)(((m)[0] != 0) | ((m)[1] != 0) << 1))
#else
#define LANE_SQRT(x) lane_sqrt(&(x))
#define LANE_BITS(m) ((uint32_t)((m) != 0))
#endif
#define KERNELS hik_chain_base
#include "simd/chain.inc.c"
