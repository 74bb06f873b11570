/* postures_avx2.c: four doubles a register. */
#include "simd/postures.h"
#ifdef HIK_HAVE_X86
#include "simd/avx2_begin.h"
#define LANES        4
#define LANE_SQRT(x) ((x) = (lane)_mm256_sqrt_pd((__m256d)(x)))
#define LANE_BITS(m) ((uint32_t)_mm256_movemask_pd((__m256d)(m)))
#define KERNEL       hik_postures_avx2
#define NEAREST      hik_nearest_avx2
#define NEAREST_ONE  hik_nearest_one
#include "simd/postures.inc.c"
#include "simd/target_end.h"
#endif
