/* chain_base.c: two doubles a register; one at a time where the compiler has no vectors. */
#include "simd/chain.h"
#include "base/trig.h"
#include "simd/kernels.h"
#if defined(__GNUC__)
#define LANES 2
#else
#define LANES 1
#endif
#define KERNELS hik_chain_base
#include "simd/chain.inc.c"
