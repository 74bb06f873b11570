/* kernels_avx2.c: four doubles a register. */
#include "simd/kernels.h"
#ifdef HIK_HAVE_X86
#include <immintrin.h>
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
#define HIK_WIDTH 4
#define HIK_CHAIN hik_chain_avx2
#define HIK_NAME "avx2"
#define HIK_KERNELS hik_kernels_avx2
#define HIK_SQRT(x) ((lane)_mm256_sqrt_pd((__m256d)(x)))
#include "simd/kernels.inc.c"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
