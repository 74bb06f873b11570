/* dynamics_avx2.c: the lane kernels of the dynamics for AVX2, four doubles side by side. */
#if defined(__x86_64__) && defined(__GNUC__)
#pragma GCC target("avx2")
#include "base/trig.h"
#include "simd/dynamics.h"

#define LANES 4
#define KERNELS hik_dynamics_avx2
#include "simd/dynamics.inc.c"
#else
typedef int hik_dynamics_avx2_is_not_for_this_processor;
#endif
