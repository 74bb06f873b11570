/* dynamics_avx512.c: eight doubles a register. */
#include "simd/dynamics.h"
#ifdef HIK_HAVE_X86
#include "simd/avx512_begin.h"
#define LANES   8
#define KERNELS hik_dynamics_avx512
#include "simd/dynamics.inc.c"
#include "simd/target_end.h"
#endif
