/* chain_avx2.c: four doubles a register. */
#include "simd/chain.h"
#include "simd/kernels.h"
#ifdef HIK_HAVE_X86
#include "simd/avx2_begin.h"
#define LANES              4
#define LANE_SQRT(x)       ((x) = (lane)_mm256_sqrt_pd((__m256d)(x)))
#define LANE_MAX(x, y)     ((lane)_mm256_max_pd((__m256d)(x), (__m256d)(y)))
#define LANE_MIN(x, y)     ((lane)_mm256_min_pd((__m256d)(x), (__m256d)(y)))
#define THIN_SQRT(x)       ((x) = (thin)_mm256_sqrt_ps((__m256)(x)))
#define LANE_BITS(m)       ((uint32_t)_mm256_movemask_pd((__m256d)(m)))
#define THIN_BITS(m)       ((uint32_t)_mm256_movemask_ps((__m256)(m)))
#define LANE_STREAM(to, x) _mm256_stream_pd(to, (__m256d)(x))
#define KERNELS            hik_chain_avx2
#define PAIR_KERNELS       hik_pair_avx2
#include "simd/chain.inc.c"
#include "simd/target_end.h"
#endif
