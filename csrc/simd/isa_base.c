/* isa_base.c: two doubles a register: what every x86-64 and 64-bit ARM has, and portable C elsewhere. */
#include "simd/target.h"
#if defined(__aarch64__)
#define HIK_NAME "neon"
#else
#define HIK_NAME "base"
#endif
#define LANES         2
#define HIK_REGISTERS 4
#define HIK_SET       base
#include "simd/table.inc.c"
