/* kernels_avx2.c: four doubles a register, four registers. */
#include "simd/kernels.h"
#ifdef HIK_HAVE_X86
#include <immintrin.h>
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
#define HIK_BYTES 32
#define HIK_REGISTERS 4
#define HIK_CHAIN hik_chain_avx2
#define HIK_NAME "avx2"
#define HIK_KERNELS hik_kernels_avx2
#define ANY_BELOW(x, least) _mm256_movemask_pd((__m256d)((x) < (least)))
#define ANY_BELOW_SINGLE(x, least) _mm256_movemask_ps((__m256)((x) < (least)))
#include "simd/kernels.inc.c"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
