/* pair_avx512.c: two doubles a register, with the instructions of isa_avx512.c. */
#include "simd/target.h"
#ifdef HIK_HAVE_X86
HIK_TARGET("avx512f,avx512dq,avx512vl")
#define LANES            2
#define HIK_PAIR_KERNELS hik_pair_avx512
#include "simd/table.inc.c"
HIK_TARGET_END
#endif
