/* chain_avx512.c: eight doubles a register. */
#include "simd/chain.h"
#include "simd/kernels.h"
#ifdef HIK_HAVE_X86
#include "base/trig.h"
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl")
#endif
#define LANES 8
#define KERNELS hik_chain_avx512
#include "simd/chain.inc.c"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
