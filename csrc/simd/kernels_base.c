/* kernels_base.c: two doubles a register, four registers. */
#include "simd/narrow.h"
#define HIK_REGISTERS 4
#define HIK_KERNELS   hik_kernels_base
#include "simd/kernels.inc.c"
