/* postures_pair.c: two doubles a register, with the instructions of AVX2: for a single pose. */
#include "simd/postures.h"
#ifdef HIK_HAVE_X86
#include "simd/avx2_begin.h"
#define LANES        2
#define LANE_SQRT(x) ((x) = (lane)_mm_sqrt_pd((__m128d)(x)))
#define LANE_BITS(m) ((uint32_t)_mm_movemask_pd((__m128d)(m)))
#define KERNEL       hik_postures_pair
#define NEAREST      hik_nearest_pair
#include "simd/postures.inc.c"
#include "simd/target_end.h"
#endif
