/* kernels_avx512.c: eight doubles a register, three registers. */
#include "simd/kernels.h"
#ifdef HIK_HAVE_X86
#include "simd/avx512_begin.h"
#define HIK_BYTES                  64
#define HIK_REGISTERS              3
#define HIK_CHAIN                  hik_chain_avx512
#define HIK_NAME                   "avx512"
#define HIK_KERNELS                hik_kernels_avx512
#define ANY_BELOW(x, least)        _mm512_cmp_pd_mask((__m512d)(x), _mm512_set1_pd(least), _CMP_LT_OQ)
#define ANY_BELOW_SINGLE(x, least) _mm512_cmp_ps_mask((__m512)(x), _mm512_set1_ps(least), _CMP_LT_OQ)
#include "simd/kernels.inc.c"
#include "simd/target_end.h"
#endif
