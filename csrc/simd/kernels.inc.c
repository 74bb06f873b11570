/* kernels.inc.c: the bodies. The including file defines HIK_BYTES (of a register), HIK_REGISTERS (worked on side by
   side), HIK_CHAIN, HIK_KERNELS (name of the table), HIK_NAME (of the instruction set), ANY_BELOW and ANY_BELOW_SINGLE
   (is any lane of a register less than a number?), and sets the target. */
#include "simd/kernels.h"

#define REGISTERS HIK_REGISTERS
#define WIDTH     ((int)(HIK_BYTES / sizeof(REAL)))

#define FABRIK(what) fabrik_##what
#define REAL         double
#define BITS         int64_t
#define SEED         0x5fe4000000000000
#define NEWTON       1
#define TINY         1e-290
#define ROOT         sqrt
#include "simd/fabrik.inc.c"
#undef FABRIK
#undef REAL
#undef BITS
#undef SEED
#undef NEWTON
#undef TINY
#undef ROOT
#undef ANY_BELOW

#define FABRIK(what) single_##what
#define REAL         float
#define BITS         int32_t
#define SEED         0x5f200000
#define NEWTON       0
#define TINY         1e-30f
#define ROOT         sqrtf
#define ANY_BELOW    ANY_BELOW_SINGLE
#include "simd/fabrik.inc.c"

const hik_kernels HIK_KERNELS = {.name = HIK_NAME,
                                 .lanes = HIK_REGISTERS * (int32_t)(HIK_BYTES / sizeof(double)),
                                 .single_lanes = HIK_REGISTERS * (int32_t)(HIK_BYTES / sizeof(float)),
                                 .fabrik_free = fabrik_iterate,
                                 .fabrik_single = single_iterate,
                                 .chain = &HIK_CHAIN};
