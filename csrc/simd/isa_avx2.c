/* isa_avx2.c: four doubles a register. */
#include "simd/target.h"
#ifdef HIK_HAVE_X86
HIK_TARGET("avx2")
#define LANES         4
#define HIK_REGISTERS 4
#define HIK_SET       avx2
#define HIK_NAME      "avx2"
#include "simd/table.inc.c"
HIK_TARGET_END
#endif
