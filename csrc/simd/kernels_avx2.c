/* kernels_avx2.c: four doubles a register, four registers. */
#include "simd/kernels.h"
#ifdef HIK_HAVE_X86
#include "simd/avx2_begin.h"
#define HIK_BYTES                  32
#define HIK_REGISTERS              4
#define HIK_CHAIN                  hik_chain_avx2
#define HIK_NAME                   "avx2"
#define HIK_KERNELS                hik_kernels_avx2
#define ANY_BELOW(x, least)        _mm256_movemask_pd((__m256d)((x) < (least)))
#define ANY_BELOW_SINGLE(x, least) _mm256_movemask_ps((__m256)((x) < (least)))
#include "simd/kernels.inc.c"
#include "simd/target_end.h"
#endif
