/* scene_avx2.c: what scenes need in lanes, four doubles a register. */
#include "scene/grid_near.h"
#include "simd/target.h"
#ifdef HIK_HAVE_X86
HIK_TARGET("avx2")
#define LANES     4
#define NEAR_NAME hik_near_avx2
#include "scene/grid_near.inc.c"
#include "scene/group.inc.c"
const hik_scene_kernels hik_scene_avx2 = SCENE_KERNELS;
HIK_TARGET_END
#endif
