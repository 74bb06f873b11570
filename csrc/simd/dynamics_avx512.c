/* dynamics_avx512.c: the lane kernels of the dynamics for AVX-512, eight doubles side by side. */
#if defined(__x86_64__) && defined(__GNUC__)
#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw")
#include "base/trig.h"
#include "simd/dynamics.h"

#define LANES 8
#define KERNELS hik_dynamics_avx512
#include "simd/dynamics.inc.c"
#else
typedef int hik_dynamics_avx512_is_not_for_this_processor;
#endif
