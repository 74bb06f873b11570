/* postures_avx512.c: eight doubles a register. */
#include "simd/postures.h"
#ifdef HIK_HAVE_X86
#include "simd/avx512_begin.h"
#define LANES        8
#define LANE_SQRT(x) ((x) = (lane)_mm512_sqrt_pd((__m512d)(x)))
#define LANE_BITS(m) ((uint32_t)_mm512_movepi64_mask((__m512i)(m)))
#define KERNEL       hik_postures_avx512
#define NEAREST      hik_nearest_avx512
#include "simd/postures.inc.c"
#include "simd/target_end.h"
#endif
