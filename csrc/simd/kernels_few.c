/* kernels_few.c: two doubles a register, one register: a single target would wait for more, and with many links a
   wide row of points is memory that is carried about for nothing. Same bytes. */
#include "simd/narrow.h"
#define HIK_REGISTERS 1
#define HIK_KERNELS   hik_kernels_few
#include "simd/kernels.inc.c"
