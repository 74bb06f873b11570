/* scene_avx2.c: distances of figures, four doubles a register. */
#include "scene/inside.h"
#include "simd/target.h"
#ifdef HIK_HAVE_X86
HIK_TARGET("avx2")
#define LANES 4
#include "scene/group.inc.c"
const hik_scene_kernels hik_scene_avx2 = SCENE_KERNELS;
HIK_TARGET_END
#endif
