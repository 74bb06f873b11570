/* dynamics_avx2.c: four doubles a register. */
#include "simd/dynamics.h"
#ifdef HIK_HAVE_X86
#include "base/trig.h"
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
#define LANES 4
#define KERNELS hik_dynamics_avx2
#include "simd/dynamics.inc.c"
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
