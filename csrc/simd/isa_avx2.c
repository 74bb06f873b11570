/* isa_avx2.c: four doubles a register. */
#include "simd/target.h"
#ifdef HIK_HAVE_X86
HIK_TARGET("avx2")
#define LANES           4
#define HIK_REGISTERS   4
#define HIK_NAME        "avx2"
#define HIK_KERNELS     hik_kernels_avx2
#define HIK_PAIR        hik_pair_avx2
#define HIK_NEAREST_ONE hik_nearest_one
#define HIK_SCENE       hik_scene_avx2
#include "simd/table.inc.c"
HIK_TARGET_END
#endif
