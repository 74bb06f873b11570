/* pair_avx2.c: two doubles a register, with the instructions of isa_avx2.c. */
#include "simd/target.h"
#ifdef HIK_HAVE_X86
HIK_TARGET("avx2")
#define LANES            2
#define HIK_PAIR_KERNELS hik_pair_avx2
#include "simd/table.inc.c"
HIK_TARGET_END
#endif
