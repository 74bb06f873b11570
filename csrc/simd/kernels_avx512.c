/* kernels_avx512.c: eight doubles a register. */
#include "simd/kernels.h"
#ifdef HIK_HAVE_X86
#include <immintrin.h>
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl")
#endif
#define HIK_WIDTH 8
#define HIK_CHAIN hik_chain_avx512
#define HIK_NAME "avx512"
#define HIK_KERNELS hik_kernels_avx512
#define HIK_SQRT(x) ((lane)_mm512_sqrt_pd((__m512d)(x)))
#include "simd/kernels.inc.c"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
