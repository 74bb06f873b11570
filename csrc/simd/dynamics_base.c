/* dynamics_base.c: two doubles a register; one at a time where the compiler has no vectors. */
#include "simd/dynamics.h"
#include "base/trig.h"
#if defined(__GNUC__)
#define LANES 2
#else
#define LANES 1
#endif
#define KERNELS hik_dynamics_base
#include "simd/dynamics.inc.c"
