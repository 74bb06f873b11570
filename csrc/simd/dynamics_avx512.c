/* dynamics_avx512.c: eight doubles a register. */
#include "simd/dynamics.h"
#ifdef HIK_HAVE_X86
#include "base/trig.h"
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl")
#endif
#define LANES 8
#define KERNELS hik_dynamics_avx512
#include "simd/dynamics.inc.c"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
