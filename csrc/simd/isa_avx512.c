/* isa_avx512.c: eight doubles a register. */
#include "simd/target.h"
#ifdef HIK_HAVE_X86
HIK_TARGET("avx512f,avx512dq,avx512vl")
#define LANES         8
#define HIK_REGISTERS 3
#define HIK_SET       avx512
#define HIK_NAME      "avx512"
#include "simd/table.inc.c"
HIK_TARGET_END
#endif
