/* dynamics_avx2.c: four doubles a register. */
#include "simd/dynamics.h"
#ifdef HIK_HAVE_X86
#include "simd/avx2_begin.h"
#define LANES   4
#define KERNELS hik_dynamics_avx2
#include "simd/dynamics.inc.c"
#include "simd/target_end.h"
#endif
