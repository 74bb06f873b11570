/* isa_avx512.c: eight doubles a register. */
#include "simd/target.h"
#ifdef HIK_HAVE_X86
HIK_TARGET("avx512f,avx512dq,avx512vl")
#define LANES           8
#define HIK_REGISTERS   3
#define HIK_NAME        "avx512"
#define HIK_KERNELS     hik_kernels_avx512
#define HIK_PAIR        hik_pair_avx512
#define HIK_NEAREST_ONE hik_nearest_one
#define HIK_SCENE       hik_scene_avx512
#include "simd/table.inc.c"
HIK_TARGET_END
#endif
