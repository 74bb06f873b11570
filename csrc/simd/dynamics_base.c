/* dynamics_base.c: two doubles a register; one at a time where the compiler has no vectors. */
#include "base/trig.h"
#include "simd/dynamics.h"
#if defined(__GNUC__)
#define LANES 2
#else
#define LANES 1
#endif
#define KERNELS hik_dynamics_base
#include "simd/dynamics.inc.c"
