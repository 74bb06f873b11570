/* dynamics_base.c: the lane kernels of the dynamics for every processor (two doubles side by side where the compiler
   has vectors). */
#include "base/trig.h"
#include "simd/dynamics.h"

#if defined(__GNUC__)
#define LANES 2
#else
#define LANES 1
#endif
#define KERNELS hik_dynamics_base
#include "simd/dynamics.inc.c"
